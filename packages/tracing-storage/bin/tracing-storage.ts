#!/usr/bin/env node
// These imports must be first, because the thread pool and the engine's allocator read the environment only at their
// first use.
import "../src/engine/thread-pool-size.ts";
import "../src/engine/allocator.ts";
import { runProcess } from "lifecycle";
import { storageProcess } from "../src/storage-process.ts";

void runProcess(storageProcess);
