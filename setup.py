"""Packages are found here, because setup.cfg cannot name two roots; everything else stands in setup.cfg."""

from setuptools import find_packages, setup

setup(packages=[*find_packages("src"), "pyasc_transpile.templates"])
