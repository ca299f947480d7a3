// The first stage of the built agent: commands, and the check of options. The second stage serves.
import { runProcess } from "lifecycle";
import { agentProcess } from "../src/agent-process.ts";

export const run = (startAnew: (options: object) => void) => runProcess(agentProcess, startAnew);
