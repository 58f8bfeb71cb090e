//! One life of a request, whichever door it came in by.
//!
//! ```text
//!  text ──────▶ script it has seen ─────────────┐ (scripts)
//!    └─ parse ─▶ traversal ─▶ its service, if it begins with one ─▶ plan on one snapshot ─▶ Ready
//!  bytecode ────────┘ (script)      (services)                        (prepare)               │
//!                                                    run it: here, or as a job on the executors
//!                                          ┌─ lost against another commit: reserve, wait, plan again
//!                                          └─▶ (attempts)            committed: results
//! ```
//!
//! `database.rs` and `transaction.rs` (the embedded door) and `hosted.rs` (the server's) say who asks and where results go. They
//! know nothing of plans and retries; what is here knows nothing of connections.
//!
//! It must never know connections, nor sessions: these are a way of the life that it has.
//!
//! | file | what |
//! |---|---|
//! | `script.rs`, `scripts.rs` | from text or bytecode to one traversal; texts that come again are not read again |
//! | `parameters.rs` | what a traversal gives a service at its start |
//! | `plot.rs` | scripts of several statements |
//! | `ready.rs` | reading, services and planning: what a request comes to |
//! | `prepare.rs`, `origin.rs` | from a traversal to a plan, and what can be planned again |
//! | `wishes.rs` | what whoever asks wants beside the results |
//! | `attempts.rs`, `backoff.rs`, `retries.rs` | requests that lose against others |
//! | `keys.rs`, `keyed.rs`, `once.rs` | requests with a key, which are done once however often they are sent |
//! | `here.rs` | on the calling thread |
//! | `life.rs` | on the executors: from the first query to the answer, whatever is done; begun again when it loses |
//! | `job.rs` | what is done: one traversal, a transaction of its own (`sessions/course.rs`: statements) |
//! | `relay.rs`, `answer.rs` | the results of one query on their way; what a client is told |

mod answer;
mod attempts;
mod backoff;
mod here;
mod job;
mod keyed;
mod keys;
mod life;
mod once;
mod origin;
mod parameters;
mod plot;
mod prepare;
mod ready;
mod relay;
mod retries;
mod script;
mod scripts;
mod traced;
mod wishes;

pub(crate) use answer::{ServerSink, answer, only, refusal, unrolled};
pub(crate) use attempts::Attempts;
pub(crate) use job::Job;
pub use keys::RequestKeyOptions;
pub(crate) use keys::RequestKeys;
pub(crate) use life::{Life, Way};
pub(crate) use once::{Once, Over, once};
pub(crate) use plot::Plot;
pub(crate) use prepare::Preparer;
pub(crate) use ready::{Asked, Ready, Runnable, Seen};
pub(crate) use relay::Step;
pub(crate) use retries::Retries;
pub(crate) use script::{Mode, Request, bindings};
pub(crate) use scripts::Scripts;
pub(crate) use wishes::Wishes;
