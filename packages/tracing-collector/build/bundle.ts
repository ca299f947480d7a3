import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "tracing-collector",
  main: "bin/tracing-collector.ts",
  lazyPackages: {
    "@grpc/proto-loader": "@grpc/grpc-js",
    undici: "storage",
    re2js: "",
  },
});
