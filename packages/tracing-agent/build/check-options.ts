// The first stage of the built agent: commands, and the check of options. It serves in a second stage.
import { runProcess } from "lifecycle";
import { agentProcess } from "../src/agent-process.ts";

export const run = (startAnew: (options: object) => void) => runProcess(agentProcess, startAnew);
