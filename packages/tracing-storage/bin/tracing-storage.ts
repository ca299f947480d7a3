#!/usr/bin/env node
// These imports must come first: the thread pool and the engine's allocator read the environment when they are first
// used, and never again.
import "../src/engine/thread-pool-size.ts";
import "../src/engine/allocator.ts";
import { runProcess } from "lifecycle";
import { storageProcess } from "../src/storage-process.ts";

void runProcess(storageProcess);
