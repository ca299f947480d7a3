import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "tracing-agent",
  main: "bin/tracing-agent.ts",
});
