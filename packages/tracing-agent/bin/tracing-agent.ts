#!/usr/bin/env node
import { runProcess } from "lifecycle";
import { agentProcess } from "../src/agent-process.ts";

void runProcess(agentProcess);
