#!/usr/bin/env node
// First of all imports: the thread pool takes its size when it is first used, and never looks again.
import "../src/engine/thread-pool-size.ts";
import { runProcess } from "lifecycle";
import { storageProcess } from "../src/storage-process.ts";

void runProcess(storageProcess);
