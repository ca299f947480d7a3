import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "tracing-storage",
  main: "bin/tracing-storage.ts",
});
