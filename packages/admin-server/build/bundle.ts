import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "bundler";

const packageFolder = new URL("..", import.meta.url);

/** The files of the modules in a list: each file is loaded when a config names its module. */
function listedFiles(list: string): string[] {
  const url = new URL(list, packageFolder);
  const { resolve } = createRequire(url);
  return [...readFileSync(url, "utf8").matchAll(/ from "([^"]+)"/g)]
    .map(([, specifier = ""]) => relative(fileURLToPath(packageFolder), resolve(specifier)))
    .filter(
      (path) =>
        !/(\/server-core\/src\/modules\/|\/server-module-api\/|-modules\.ts$|\/standard\.ts$)/.test(path),
    );
}

/** The modules that most sites have, or that the server loads for every site. */
const usualModules =
  /\/(?:admin-routes|logging|events\/events-app|sessions|static-response|file-server|headers|encode|reverse-proxy|rewrite|subroute|vars)|\/http-app|\/encoders\/gzip|\/matchers\/(?:host|path|method|header|file|not)[-.]|\/policies\/(?:random|policies-text)\./;

/**
 * Writes a very small site: every server loads the code that this site uses, even when the server's own sites use none
 * of this code.
 */
function writeSite(folder: string): string {
  const file = join(folder, "Serverfile");
  writeFileSync(
    file,
    `{
	admin 127.0.0.1:0
}
http://127.0.0.1:0 {
	respond hello
}
`,
  );
  return file;
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
  // Not server-module-api itself: as an entry it would be one file, which every start loads for the lists of modules.
  modules: ["src/module-api.ts"],
  start: {
    files: [
      "src/commands/run.ts",
      "src/cli/run-from-config.ts",
      "src/cli/run-server.ts",
      "src/worker/worker-main.ts",
      "../serverfile/src/adapt-serverfile.ts",
      "../certificates/src/pki/pki-app.ts",
      "../certificates/src/pki/pki-route.ts",
      "../certificates/src/tls/certificates/certificates-route.ts",
      "../certificates/src/tls/issuers/acme/acme-issuer.ts",
      "../certificates/src/tls/issuers/internal.ts",
      "../certificates/src/tls/storage/file-system.ts",
      "../certificates/src/tls/tls-app.ts",
      ...listedFiles("../server-modules/src/standard.ts").filter((path) => usualModules.test(path)),
    ],
    apart: [
      "../server-modules/src/passwords/password-thread.ts",
      "../server-core/src/user-modules/import-natively.cts",
      "bin/server.ts",
      "src/main.ts",
      "src/commands/version.ts",
    ],
  },
  warmStart: {
    keeps: ["server", "worker-start"],
    args: (folder) => ["run", "--config", writeSite(folder), "--adapter", "serverfile"],
  },
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
    ...listedFiles("../module-crowdsec/src/crowdsec-modules.ts"),
    ...listedFiles("../module-geolocation/src/geolocation-modules.ts"),
    ...listedFiles("../module-signatures/src/signature-modules.ts"),
    ...listedFiles("../certificates/src/tls/tls-modules.ts"),
    ...listedFiles("../certificates/src/tls/storage/storage-modules.ts"),
    "../server-modules/src/files/media-type.ts",
    "../server-modules/src/handlers/tracing/exchange-span.ts",
    "../server-modules/src/handlers/tracing/sampling-strategy.ts",
  ],
});
