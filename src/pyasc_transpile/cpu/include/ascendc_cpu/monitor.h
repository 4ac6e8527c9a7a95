// A mutex with a condition, for blocks that wait for each other, and for the thread team. POSIX threads directly:
// <thread> and <condition_variable> would cost a third of the compile time of a small kernel.
#ifndef ASCENDC_CPU_MONITOR_H
#define ASCENDC_CPU_MONITOR_H

#include <pthread.h>

namespace AscendC::cpu {

class Lockable {
public:
    Lockable() { pthread_mutex_init(&mutex_, nullptr); }
    ~Lockable() { pthread_mutex_destroy(&mutex_); }
    Lockable(const Lockable&) = delete;
    Lockable& operator=(const Lockable&) = delete;

    void Lock() { pthread_mutex_lock(&mutex_); }
    void Unlock() { pthread_mutex_unlock(&mutex_); }

private:
    friend class Condition;
    pthread_mutex_t mutex_;
};

class Guard {
public:
    explicit Guard(Lockable& mutex) : mutex_(mutex) { mutex_.Lock(); }
    ~Guard() { mutex_.Unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

private:
    Lockable& mutex_;
};

class Condition {
public:
    Condition() { pthread_cond_init(&condition_, nullptr); }
    ~Condition() { pthread_cond_destroy(&condition_); }
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    void Wait(Lockable& mutex) { pthread_cond_wait(&condition_, &mutex.mutex_); }
    void WakeOne() { pthread_cond_signal(&condition_); }
    void WakeAll() { pthread_cond_broadcast(&condition_); }

private:
    pthread_cond_t condition_;
};

}  // namespace AscendC::cpu

#endif
