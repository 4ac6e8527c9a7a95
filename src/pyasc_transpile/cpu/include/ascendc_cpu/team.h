// The threads that blocks run on. They wait between launches, so that a launch costs a wake-up and not a creation.
#ifndef ASCENDC_CPU_TEAM_H
#define ASCENDC_CPU_TEAM_H

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "monitor.h"

namespace AscendC::cpu {

// Work that several threads can join: Run() is called on each thread that does, and returns when nothing is left.
class [[gnu::visibility("hidden")]] Work {
public:
    virtual void Run() = 0;

protected:
    ~Work() = default;

private:
    friend class Team;
    unsigned wanted_ = 0;  // helpers asked for that have not come yet
    unsigned active_ = 0;  // helpers inside Run
    Condition done_;
    Work* next_ = nullptr;
};

class [[gnu::visibility("hidden")]] Team {
public:
    // Asks for `helpers` more threads to join `work`; returns at once. There are as many threads as are ever needed at
    // the same time: a thread whose block waits for another block is not available. False: not enough threads.
    bool Offer(Work& work, unsigned helpers)
    {
        const Guard guard(lock_);
        if (work.wanted_ == 0 && helpers != 0) {
            work.next_ = queue_;
            queue_ = &work;
        }
        work.wanted_ += helpers;
        pending_ += helpers;
        while (idle_ + starting_ < pending_ && Start()) {
        }
        for (unsigned i = 0; i < helpers; ++i) {
            wake_.WakeOne();
        }
        return idle_ + starting_ >= pending_;
    }

    // Withdraws what nobody has taken up and waits for those who have.
    void Finish(Work& work)
    {
        const Guard guard(lock_);
        pending_ -= work.wanted_;
        work.wanted_ = 0;
        Remove(work);
        while (work.active_ != 0) {
            work.done_.Wait(lock_);
        }
    }

    ~Team()
    {
        lock_.Lock();
        stop_ = true;
        wake_.WakeAll();
        lock_.Unlock();
        // Joined, not merely told: the library's code may be unmapped right after this.
        for (unsigned i = 0; i < threads_; ++i) {
            pthread_join(handles_[i], nullptr);
        }
        std::free(handles_);
    }

private:
    bool Start()
    {
        void* const grown = std::realloc(handles_, sizeof(pthread_t) * (threads_ + 1));
        if (grown == nullptr) {
            return false;
        }
        handles_ = static_cast<pthread_t*>(grown);
        if (pthread_create(&handles_[threads_], nullptr, &Team::Main, this) != 0) {
            return false;
        }
        ++threads_;
        ++starting_;
        return true;
    }

    static void* Main(void* team)
    {
        static_cast<Team*>(team)->Serve();
        return nullptr;
    }

    void Serve()
    {
        lock_.Lock();
        --starting_;
        while (true) {
            while (queue_ == nullptr && !stop_) {
                ++idle_;
                wake_.Wait(lock_);
                --idle_;
            }
            if (stop_) {
                break;
            }
            Work& work = *queue_;
            --pending_;
            if (--work.wanted_ == 0) {
                Remove(work);
            }
            ++work.active_;
            lock_.Unlock();
            work.Run();
            lock_.Lock();
            if (--work.active_ == 0) {
                work.done_.WakeAll();
            }
        }
        lock_.Unlock();
    }

    void Remove(Work& work)
    {
        for (Work** link = &queue_; *link != nullptr; link = &(*link)->next_) {
            if (*link == &work) {
                *link = work.next_;
                return;
            }
        }
    }

    Lockable lock_;
    Condition wake_;
    Work* queue_ = nullptr;
    unsigned pending_ = 0;   // sum of wanted_ over the queue
    pthread_t* handles_ = nullptr;
    unsigned threads_ = 0;
    unsigned idle_ = 0;
    unsigned starting_ = 0;
    bool stop_ = false;
};

// One team per library. After a fork the child has none of the threads, so it begins with a new team.
class [[gnu::visibility("hidden")]] TeamHolder {
public:
    TeamHolder() : team_(new Team) { pthread_atfork(nullptr, nullptr, &TeamHolder::InChild); }
    ~TeamHolder() { delete team_; }
    static TeamHolder& Instance();
    Team& Get() { return *team_; }

private:
    static void InChild() { Instance().team_ = new Team; }
    Team* team_;
};

[[gnu::visibility("hidden")]] inline TeamHolder& TeamHolder::Instance()
{
    static TeamHolder holder;
    return holder;
}

[[gnu::visibility("hidden")]] inline std::atomic<unsigned> g_threads{0};

// How many blocks run at the same time: what the host has set, or one per processor.
inline unsigned Threads()
{
    const unsigned set = g_threads.load(std::memory_order_relaxed);
    const long processors = set != 0 ? set : sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? static_cast<unsigned>(processors) : 1;
}

}  // namespace AscendC::cpu

#endif
