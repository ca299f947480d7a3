#!/usr/bin/env node
import { runProcess } from "lifecycle";
import { queryProcess } from "../src/query-process.ts";

void runProcess(queryProcess);
