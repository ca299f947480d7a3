import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "tracing-collector",
  main: "bin/tracing-collector.ts",
});
