import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "tracing-storage",
  main: "bin/tracing-storage.ts",
  entries: ["src/point-read/point-thread-start.ts", "src/import/tempo/block-reader-start.ts"],
  lazyPackages: {
    "@grpc/proto-loader": "@grpc/grpc-js",
    undici: "storage",
    re2js: "storage > traceql",
  },
});
