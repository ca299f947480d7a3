// Which folder may import which. Run by `pnpm layers` and by `npm test`.
// Every rule says why, because its text is what the developer who broke it reads.

const processes = "tracing-agent|tracing-collector|tracing-query|tracing-storage|admin-server";

/** Files that no process loads. */
const test = "[.]test[.]ts$|/src/testing/";

/** The layer of a module that is a package of its own. */
const packagedModule = {
  mayImport: ["server-module-api"],
  because: "A module that is a package of its own knows the server by server-module-api alone.",
};

/** The web server's layers, from below to above: which of our packages each may import. */
const serverPackages = {
  "server-core": {
    mayImport: ["lifecycle", "http-protocols"],
    because: "server-core runs modules through their interface and knows none of them.",
  },
  serverfile: {
    mayImport: ["server-core"],
    because: "serverfile makes documents of texts and texts of documents: it runs nothing.",
  },
  certificates: {
    mayImport: ["server-core", "lifecycle"],
    because: "certificates knows handshakes and authorities, and no HTTP of ours.",
  },
  "http-engine": {
    mayImport: ["certificates", "server-core", "lifecycle", "http-protocols"],
    because: "http-engine runs routes of handlers that it does not know.",
  },
  "server-modules": {
    mayImport: ["http-engine", "certificates", "serverfile", "server-core", "lifecycle", "http-protocols"],
    because: "A module knows what it runs in, and neither the process nor its admin API.",
  },
  layer4: {
    mayImport: [
      "server-modules",
      "http-engine",
      "certificates",
      "serverfile",
      "server-core",
      "lifecycle",
      "http-protocols",
    ],
    because: "layer4 uses the upstreams and matchers of HTTP, and no module of HTTP knows it.",
  },
  "container-labels": {
    mayImport: ["server-modules", "serverfile", "server-core", "lifecycle"],
    because: "container-labels makes a text and hands it on: it knows no admin API.",
  },
  "kubernetes-controller": {
    mayImport: ["server-core", "lifecycle"],
    because:
      "kubernetes-controller makes JSON for an admin API that it reaches through a function: it knows no module.",
  },
  "server-module-api": {
    mayImport: [
      "layer4",
      "server-modules",
      "http-engine",
      "certificates",
      "serverfile",
      "server-core",
      "lifecycle",
    ],
    because: "server-module-api hands on what modules may import, and does nothing by itself.",
  },
  "module-crowdsec": packagedModule,
  "module-geolocation": packagedModule,
  "module-signatures": packagedModule,
  "admin-server": {
    mayImport: [
      "module-crowdsec",
      "module-geolocation",
      "module-signatures",
      "server-module-api",
      "container-labels",
      "kubernetes-controller",
      "layer4",
      "server-modules",
      "http-engine",
      "certificates",
      "serverfile",
      "server-core",
      "lifecycle",
      "assistant-tools",
    ],
    because: "admin-server puts the packages of the web server together.",
  },
};

/**
 * Rooms inside packages, from below to above: each may import those on lines before it, and none on its own line. A room is a folder,
 * or a file beside the folders. Files that are not listed put the rooms together: no room imports them.
 */
const rooms = {
  "server-core": [
    "errors|module-instance|files|go|uri",
    "json|placeholders|regexp|etag|network-proxy|storage|otlp",
    "events|threads|tree|adapters",
    "history|listen|net",
    "modules",
    "admin|logging|user-modules",
    "engine",
    "schema",
  ],
  serverfile: [
    "addresses|lexer",
    "format|parse|values",
    "modules|routes",
    "matchers|sites",
    "tls",
    "directives|servers|to-text",
    "module-text",
    "text-features",
    "global-options",
  ],
  certificates: ["material", "acme", "pki", "tls"],
  "kubernetes-controller": ["cluster", "translate", "target|status"],
  "http-engine": [
    "body|close-lingering|connection-limits|header-list|http-status|ip-source|listener-state|rate-watch|remote-address|sniffed-type",
    "requests-under-way|response-tally|route-figures|route-tally|immutable-body-cache|unexpected-fields",
    "declared-body|http-error|request-memo|request-trace|proxy-protocol",
    "refusal|rehearsed-way",
    "http-stream|response-sink|send-watch|unbuffered-response",
    "exchange-request|open-tunnels|response-writer",
    "h1",
    "exchange",
    "h2",
    "client-address|extra-fields|handler|request-origin|tls-placeholders",
    "request-placeholders|route-observer",
    "placeholders",
    "access-logs",
  ],
  "server-modules": [
    "files",
    "cookies|file-systems|encoding|encoders|events|ip-sources|network-proxies|passwords|sessions",
    "matchers",
    "handlers",
    "policies|admin-routes",
  ],
  "admin-server": ["admin", "all-modules", "standard-adapters|worker", "server", "cli", "commands"],
  lifecycle: [
    "errors|log-levels|repeated-lines|stop-request|trace-context|version|without-controls",
    "own-span",
    "logger",
    "options",
    "tenancy|tls",
    "clickhouse|tracing",
  ],
  "http-protocols": [
    "header-list",
    "http1|http2|quic",
    "grpc-client|grpc-js|http1-server|http2-client|http2-server",
    "http3",
  ],
  wire: [
    "errors|model",
    "api-v3|compression|metrics-query|rows|tempo",
    "metrics-push",
    "grpc|json|protobuf",
    "otlp",
    "api-v2",
    "storage-v1|storage-v2|thrift",
    "sampling|zipkin",
    "agent",
  ],
  storage: ["api", "traceql", "engines", "contract"],
  "tracing-agent": ["agent-options|client-stats|quiet-collections", "agent-metrics", "reporters", "servers"],
  "tracing-collector": ["errors|options|counts", "pipeline", "sampling", "receivers"],
  "tracing-query": [
    "header-lines|query-error|span-metric-bounds",
    "access",
    "deletion|usage",
    "go-text",
    "objectives",
    "service",
    "http|metric-push|prometheus",
    "mcp|tempo|query-options",
    "grpc|server",
  ],
  "tracing-storage": [
    "cold-options|engine-error|grpc|synced-file|tenant-ages",
    "compression",
    "import|parts",
    "engine",
    "point-read|sql|storage-metrics|storage-options",
    "cold|commands|damage|retention",
    "http|merging",
  ],
};

const aFile = "[.]tsx?$";

/** Handlers that others are made of. */
const plainHandlers = "headers|intercept|rewrite|templates";

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-cycles",
      comment: "A cycle makes two files one: move what both need below them.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-cycles-of-types",
      comment: "A cycle of types makes two files one for the reader: move what both need below them.",
      severity: "error",
      from: { path: `^packages/(${Object.keys(serverPackages).join("|")})/` },
      to: { circular: true },
    },
    {
      name: "no-unresolved",
      comment: "The import leads nowhere; is the package in package.json, is the code generated?",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "wire-stands-alone",
      comment: "wire turns bytes into types and knows nobody: no sibling package may be imported.",
      severity: "error",
      from: { path: "^packages/wire/" },
      to: { path: "^packages/(?!wire/)" },
    },
    {
      name: "assistant-tools-stand-alone",
      comment: "assistant-tools serves tools that it does not know.",
      severity: "error",
      from: { path: "^packages/assistant-tools/" },
      to: { path: "^packages/(?!assistant-tools/)" },
    },
    {
      name: "tracing-cli-asks-over-the-network",
      comment: "tracing-cli knows the APIs of the services, and none of their code.",
      severity: "error",
      from: { path: "^packages/tracing-cli/(src|bin)/" },
      to: { path: "^packages/(?!tracing-cli/|lifecycle/)" },
    },
    {
      name: "http-protocols-stands-alone",
      comment:
        "http-protocols makes messages of sockets for servers and clients, and knows none of them. A test may damage messages with " +
        "helpers of wire/src/testing.",
      severity: "error",
      from: { path: "^packages/http-protocols/", pathNot: test },
      to: { path: "^packages/(?!http-protocols/)" },
    },
    {
      name: "web-server-without-node-http2",
      comment:
        "A fault of node:http2 ends the whole process with all its connections. The web server speaks HTTP/2 with http-protocols, on " +
        "both sides.",
      severity: "error",
      from: {
        path: `^packages/(${["http-protocols", ...Object.keys(serverPackages)].join("|")})/(src|bin)/`,
        pathNot: test,
      },
      to: { path: "^(node:)?http2$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "receivers-without-node-http",
      comment:
        "A response of node:http costs more than all else of a small export. The receivers speak HTTP/1 with http-protocols, whose " +
        "reader is stricter.",
      severity: "error",
      from: { path: "^packages/tracing-collector/src/receivers/", pathNot: test },
      to: { path: "^(node:)?https?$" },
    },
    {
      name: "http-protocols-tests-stand-alone",
      comment: "Of other packages, a test of http-protocols knows the helpers that damage messages.",
      severity: "error",
      from: { path: `^packages/http-protocols/.*(${test})` },
      to: { path: "^packages/(?!http-protocols/|wire/src/testing/)" },
    },
    {
      name: "storage-knows-wire-only",
      comment:
        "storage is used by processes; it may import wire, the language traceql, and nothing else of ours.",
      severity: "error",
      from: { path: "^packages/storage/" },
      to: { path: "^packages/(?!(storage|traceql|wire)/)" },
    },
    {
      name: "traceql-stands-alone",
      comment: "traceql is a language, text to tree: it knows neither spans nor stores.",
      severity: "error",
      from: { path: "^packages/traceql/" },
      to: { path: "^packages/(?!traceql/)" },
    },
    {
      name: "lifecycle-stands-alone",
      comment: "lifecycle is the shell of every process and knows none of them.",
      severity: "error",
      from: { path: "^packages/lifecycle/" },
      to: { path: "^packages/(?!lifecycle/)" },
    },
    {
      name: "trace-store-joins-storage-and-lifecycle",
      comment: "trace-store opens the store that options name: it knows options and engines, and no process.",
      severity: "error",
      from: { path: "^packages/trace-store/" },
      to: { path: "^packages/(?!(trace-store|storage|lifecycle)/)" },
    },
    {
      name: "processes-stand-apart",
      comment: "Processes deploy apart: they meet on the network, never through an import.",
      severity: "error",
      from: { path: `^packages/(${processes})/` },
      to: {
        path: `^packages/(${processes}|tracing-ui|admin-ui|ui-kit|launcher|bench|conformance)/`,
        pathNot: "^packages/$1/",
      },
    },
    {
      name: "bundler-builds",
      comment: "The bundler makes programs of processes; none of them needs it to run.",
      severity: "error",
      from: {
        path: `^packages/(${[processes, "http-protocols|wire|storage|trace-store|traceql|lifecycle", ...Object.keys(serverPackages)].join("|")})/(src|bin)/`,
      },
      to: { path: "^packages/bundler/" },
    },
    {
      name: "tracing-storage-needs-no-schema",
      comment:
        "tracing-storage is a plain ClickHouse server; the schema belongs to storage's clickhouse engine. Only its remote " +
        'storage API (src/grpc) is made of spans: a client of that engine, the embedded one\'s or a cluster\'s; and its commands "schema" and "delete" run that engine\'s SQL, and "import-jaeger" and "import-tempo" (src/import) write spans to it. ' +
        "What an answer lacks has one form for those who say it and those who read it (storage/api). " +
        "The hash that ClickHouse's compressed blocks are checked with is in wire beside its smaller sister.",
      severity: "error",
      from: {
        path: "^packages/tracing-storage/src/",
        pathNot:
          "^packages/tracing-storage/src/(grpc/|import/|commands/(schema|delete|retain|import-jaeger|import-tempo)-|retention/tenant-)",
      },
      to: { path: "^packages/(storage|wire)/", pathNot: "^packages/(wire/src/city-hash|storage/src/api)/" },
    },
    {
      name: "agent-has-no-store",
      comment: "The agent hands spans to a collector; only collector and query know storage.",
      severity: "error",
      from: { path: "^packages/tracing-agent/" },
      to: { path: "^packages/storage/" },
    },
    {
      name: "storage-api-knows-no-engine",
      comment: "The interfaces stand above every engine.",
      severity: "error",
      from: { path: "^packages/storage/src/api/", pathNot: "[.]test[.]ts$" },
      to: { path: "^packages/storage/src/(engines|contract)/" },
    },
    {
      name: "storage-engines-stand-apart",
      comment: "An engine may not lean on another engine.",
      severity: "error",
      from: { path: "^packages/storage/src/engines/([^/]+)/" },
      to: { path: "^packages/storage/src/engines/", pathNot: "^packages/storage/src/engines/$1/" },
    },
    ...Object.entries(serverPackages).map(([name, { mayImport, because }]) => ({
      name: `${name}-looks-down`,
      comment: because,
      severity: "error",
      from: { path: `^packages/${name}/`, pathNot: `${test}|^packages/${name}/build/` },
      to: { path: "^packages/", pathNot: `^packages/(${[name, ...mayImport].join("|")})/` },
    })),
    ...Object.entries(serverPackages).map(([name, { mayImport }]) => ({
      name: `${name}-tests-start-the-server`,
      comment:
        "A test beside its source may start the whole server, with helpers of admin-server/src/testing. Of the packages above its own it " +
        "knows nothing else.",
      severity: "error",
      from: { path: `^packages/${name}/.*(${test})` },
      to: {
        path: `^packages/(${Object.keys(serverPackages).join("|")})/`,
        pathNot: `^packages/(${[name, ...mayImport].join("|")})/|^packages/(admin-server|server-core|http-engine)/src/testing/`,
      },
    })),
    ...Object.entries(rooms).flatMap(([name, floors]) =>
      floors.map((floor, index) => ({
        name: `${name}-${floor.split("|")[0]}-looks-down`,
        comment: `A room of ${name} imports the rooms below it (${floors.slice(0, index).join(", ") || "none"}): else neither can be read alone.`,
        severity: "error",
        from: { path: `^packages/${name}/src/(${floor})(?:/|${aFile})`, pathNot: test },
        to: {
          path: `^packages/${name}/src/`,
          pathNot: [`^packages/${name}/src/(?:${["$1", ...floors.slice(0, index)].join("|")})(?:/|${aFile})`],
        },
      })),
    ),
    {
      name: "plain-handlers-stand-apart",
      comment: "Handlers are made of these: what both need goes into the plain one.",
      severity: "error",
      from: { path: `^packages/server-modules/src/handlers/(${plainHandlers})/`, pathNot: test },
      to: {
        path: "^packages/server-modules/src/handlers/",
        pathNot: "^packages/server-modules/src/handlers/$1/",
      },
    },
    {
      name: "server-packages-are-the-servers",
      comment: "What the web server is made of serves nobody else: others meet it on the network.",
      severity: "error",
      from: { path: "^packages/", pathNot: `^packages/(${Object.keys(serverPackages).join("|")})/` },
      to: {
        path: `^packages/(${Object.keys(serverPackages).join("|")})/`,
        // A provider of logins for tests is no part of the server.
        pathNot: "^packages/(admin-server/|server-modules/src/testing/identity-provider)",
      },
    },
    {
      name: "ui-speaks-http-only",
      comment:
        "A browser app knows its server by the HTTP API alone, and shares the design system with the other app. " +
        "Rules that both sides apply are in wire: templates of messages and links, prices and conventions of models.",
      severity: "error",
      from: { path: "^packages/(tracing-ui|admin-ui)/", pathNot: "^packages/admin-ui/test/" },
      to: {
        path: "^packages/(?!ui-kit/|wire/src/(?:message-template|model-price|link-template|safe-address|gen-ai/))",
        pathNot: "^packages/$1/",
      },
    },
    {
      name: "ui-kit-stands-alone",
      comment: "The design system knows no app and no server.",
      severity: "error",
      from: { path: "^packages/ui-kit/" },
      to: { path: "^packages/(?!ui-kit/)" },
    },
    {
      name: "no-index-from-inside",
      comment: "index.ts is a package's edge; inside, import the file itself.",
      severity: "error",
      from: { path: "^packages/([^/]+)/src/" },
      to: { path: ["^packages/$1/src/index\\.tsx?$", "^packages/$1/src/.+/index\\.tsx?$"] },
    },
    {
      name: "tests-are-not-imported",
      comment: "Move what both need into a file that is not a test.",
      severity: "error",
      from: {},
      to: { path: "\\.test\\.tsx?$" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(node_modules|dist)/|/src/gen/" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types", "require"],
    },
  },
};
