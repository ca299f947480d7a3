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
    .filter((path) => !/(\/server-core\/src\/modules\/|-modules\.ts$|\/standard\.ts$)/.test(path));
}

await bundleProgram({
  packageFolder,
  name: "server",
  main: "bin/server.ts",
  entries: [
    "src/worker/worker-start.ts",
    "../server-modules/src/passwords/password-thread.ts",
    "../server-core/src/user-modules/import-natively.cts",
  ],
  modules: ["src/module-api.ts"],
  sideFiles: { "../admin-ui/dist": "console" },
  lazyPackages: {
    "@bufbuild/cel": "server-modules",
    "@bufbuild/cel/ext": "server-modules",
    "@opentelemetry/core": "http-engine",
    "@opentelemetry/exporter-trace-otlp-proto": "server-modules",
    "@opentelemetry/otlp-exporter-base/node-http": "http-engine",
    "@opentelemetry/otlp-transformer": "http-engine",
    "@opentelemetry/resources": "server-core",
    "@opentelemetry/sdk-metrics": "http-engine",
    "@opentelemetry/sdk-trace": "server-modules",
    "@peculiar/x509": "certificates",
    jose: "certificates",
    marked: "server-modules",
    "openid-client": "server-modules",
    re2js: "server-core",
    undici: "",
  },
  lazyFiles: [
    ...listedFiles("src/all-modules.ts"),
    ...listedFiles("../server-modules/src/standard.ts"),
    ...listedFiles("../server-modules/src/proxy-modules.ts"),
    ...listedFiles("../layer4/src/layer4-modules.ts"),
    ...listedFiles("../certificates/src/tls/tls-modules.ts"),
    ...listedFiles("../certificates/src/tls/storage/storage-modules.ts"),
    "../server-modules/src/files/media-type.ts",
    "../server-modules/src/handlers/tracing/exchange-span.ts",
    "../server-modules/src/handlers/tracing/sampling-strategy.ts",
  ],
});
