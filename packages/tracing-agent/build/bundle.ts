import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "tracing-agent",
  main: "build/check-options.ts",
  serve: "build/serve.ts",
});
