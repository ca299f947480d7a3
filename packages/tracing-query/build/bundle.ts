import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "tracing-query",
  main: "bin/tracing-query.ts",
  sideFiles: { "../tracing-ui/dist": "ui" },
  lazyPackages: {
    "@grpc/proto-loader": "@grpc/grpc-js",
    undici: "",
    re2js: "traceql",
  },
});
