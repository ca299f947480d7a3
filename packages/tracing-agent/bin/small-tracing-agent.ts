// What becomes dist/tracing-agent.cjs: the agent as one file, in a process with the options of Node that keep it small.
import { mallocEnvironment, nodeOptions, nodeOptionsSince } from "../src/node-options.ts";

const isKnown = Number.parseInt(process.versions.node, 10) >= nodeOptionsSince;
const isSmall = nodeOptions.every((option) => process.execArgv.includes(option));
if (!isKnown || isSmall || process.platform === "win32" || typeof process.execve !== "function") {
  void run();
} else {
  // The same process, begun anew: its number, its sockets and its parent stay. That it is experimental is no news here.
  process.removeAllListeners("warning");
  const [node, program, ...args] = process.argv;
  process.execve(
    process.execPath,
    [node ?? "", ...process.execArgv, ...nodeOptions, program ?? "", ...args],
    { ...mallocEnvironment, ...process.env },
  );
}

async function run(): Promise<void> {
  const { runProcess } = await import("lifecycle");
  const { agentProcess } = await import("../src/agent-process.ts");
  await runProcess(agentProcess);
}
