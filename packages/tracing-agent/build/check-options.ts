// The first stage of the built agent: it runs commands, and checks the options. The second stage runs the agent.
import { runProcess } from "lifecycle";
import { agentProcess } from "../src/agent-process.ts";

export const run = (startAnew: (options: object) => void) => runProcess(agentProcess, startAnew);
