import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "server",
  main: "bin/server.ts",
  entries: ["src/worker/worker-start.ts", "src/core/user-modules/import-natively.cts"],
  modules: ["src/module-api.ts"],
  nativePackages: ["@node-rs/bcrypt"],
});
