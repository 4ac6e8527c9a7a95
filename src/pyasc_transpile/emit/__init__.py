"""Program to text."""
