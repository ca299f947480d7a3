// What the built agent starts with: its commands, and the check of its options. It serves in a second start.
import { runProcess } from "lifecycle";
import { agentProcess } from "../src/agent-process.ts";

export const run = (startAnew: (options: object) => void) => runProcess(agentProcess, startAnew);
