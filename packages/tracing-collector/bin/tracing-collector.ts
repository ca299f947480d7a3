#!/usr/bin/env node
import { runProcess } from "lifecycle";
import { collectorProcess } from "../src/collector-process.ts";

void runProcess(collectorProcess);
