// The build loads @peculiar/x509 to learn its names.
import "../src/pki/reflect-metadata.ts";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "bundler";

const packageFolder = new URL("..", import.meta.url);

/** The files of the modules in a list: each is loaded when a config names what it has. */
function listedFiles(list: string): string[] {
  const url = new URL(list, packageFolder);
  const { resolve } = createRequire(url);
  return [...readFileSync(url, "utf8").matchAll(/ from "([^"]+)"/g)]
    .map(([, specifier = ""]) => relative(fileURLToPath(packageFolder), resolve(specifier)))
    .filter((path) => !/(\/core\/modules\/|-modules\.ts$|\/standard\.ts$)/.test(path));
}

await bundleProgram({
  packageFolder,
  name: "server",
  main: "bin/server.ts",
  entries: [
    "src/worker/worker-start.ts",
    "src/passwords/password-thread.ts",
    "src/core/user-modules/import-natively.cts",
  ],
  modules: ["src/module-api.ts"],
  sideFiles: { "../admin-ui/dist": "console" },
  lazyPackages: {
    "@bufbuild/cel": "",
    "@bufbuild/cel/ext": "",
    "@opentelemetry/core": "",
    "@opentelemetry/exporter-trace-otlp-proto": "",
    "@opentelemetry/otlp-exporter-base/node-http": "",
    "@opentelemetry/otlp-transformer": "",
    "@opentelemetry/resources": "",
    "@opentelemetry/sdk-metrics": "",
    "@opentelemetry/sdk-trace": "",
    "@peculiar/x509": "",
    jose: "",
    marked: "",
    "openid-client": "",
    re2js: "",
    undici: "",
  },
  lazyFiles: [
    ...listedFiles("src/all-modules.ts"),
    ...listedFiles("src/modules/standard.ts"),
    ...listedFiles("src/modules/handlers/reverse-proxy/proxy-modules.ts"),
    ...listedFiles("src/tls/tls-modules.ts"),
    "src/modules/files/media-type.ts",
    "src/modules/handlers/tracing/exchange-span.ts",
    "src/modules/handlers/tracing/sampling-strategy.ts",
  ],
});
