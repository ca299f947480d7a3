import { bundleProgram } from "bundler";

await bundleProgram({
  packageFolder: new URL("..", import.meta.url),
  name: "server",
  main: "bin/server.ts",
  entries: ["src/worker/worker-start.ts", "src/core/user-modules/import-natively.cts"],
  modules: ["src/module-api.ts"],
  sideFiles: { "../admin-ui/dist": "console" },
  lazyPackages: {
    "@bufbuild/cel": "",
    "@bufbuild/cel/ext": "",
    "@opentelemetry/core": "",
    "@opentelemetry/exporter-trace-otlp-proto": "",
    "@opentelemetry/resources": "",
    "@opentelemetry/sdk-trace": "",
    "@peculiar/x509": "",
    jose: "",
    marked: "",
    "openid-client": "",
    re2js: "",
    "reflect-metadata": "",
    undici: "",
  },
  before: { "@peculiar/x509": "reflect-metadata" },
  lazyFiles: [
    "src/modules/files/media-type.ts",
    "src/modules/handlers/tracing/exchange-span.ts",
    "src/modules/handlers/tracing/sampling-strategy.ts",
  ],
});
