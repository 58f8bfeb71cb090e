//! An engine whose executors help each other as soon as they can.

use dataflow::{Engine, EngineOptions, Sharing};

/// Four executors, not bound to cores.
pub fn engine() -> Engine {
    Engine::start(&EngineOptions {
        executors: 4,
        pin: false,
        committers: 1,
        sharing: Sharing::EAGER,
        ..EngineOptions::default()
    })
    .expect("threads start")
}
