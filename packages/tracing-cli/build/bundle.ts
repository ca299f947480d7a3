import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "tracing",
  main: "bin/tracing.ts",
  isProcess: false,
});
