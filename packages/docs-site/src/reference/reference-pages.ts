import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import type { SourcePage } from "../site/page.ts";
import { apiPage, openApiDocument } from "./api-page.ts";
import { handlerExamples } from "./handler-examples.ts";
import { metricsPage } from "./metrics-page.ts";
import { configSchema, modulePages } from "./module-pages.ts";
import { answerOf, printedBy, whileRunning } from "./programs.ts";

/** Page of examples, which the tests of the web server run. */
const examplesFile = join(import.meta.dirname, "../../../../docs/reference/handler-examples.md");
// Processes whose options and metrics have a page.
const tracingProcesses = ["tracing-agent", "tracing-collector", "tracing-query", "tracing-storage"];

/**
 * The page of a process's options, as its command `docs` writes it, with a title for the site. `<` of
 * placeholders is escaped.
 */
function optionsPage(markdown: string): string {
  return markdown.replace(/^# (.+)$/m, "# Options of $1").replace(/<(?=[a-z])/gi, "&lt;");
}

/** Pages of the options, printed by each process. @param folder folder for files of the programs */
async function optionPages(folder: string): Promise<SourcePage[]> {
  const pages: SourcePage[] = [];
  for (const name of tracingProcesses) {
    await printedBy(name, ["docs", "--dir", folder]);
    const markdown = optionsPage(readFileSync(join(folder, `${name}.md`), "utf8"));
    pages.push({ path: `reference/options/${name}.md`, markdown });
  }
  return pages;
}

/** The page of the store's tables. */
async function schemaPage(): Promise<SourcePage> {
  const statements = await printedBy("tracing-storage", ["schema", "--database", "tracing"]);
  return {
    path: "reference/storage-schema.md",
    markdown: `# Tables of the store\n\nWhat \`tracing-storage schema --database tracing\` prints: the statements that collector and query run by themselves. \`--cluster\` prints those of a cluster: [Past one machine](../scale.md).\n\n\`\`\`sql\n${statements.trim()}\n\`\`\`\n`,
  };
}

/** Options for listening on free loopback ports, in the order of the addresses. */
const listeners: Readonly<Record<string, readonly string[]>> = {
  "tracing-agent": [
    "admin.http.host-port",
    "http-server.host-port",
    "processor.tracing-compact.server-host-port",
    "processor.tracing-binary.server-host-port",
    "processor.zipkin-compact.server-host-port",
  ],
  "tracing-collector": [
    "admin.http.host-port",
    "collector.grpc-server.host-port",
    "collector.http-server.host-port",
    "collector.otlp.grpc.host-port",
    "collector.otlp.http.host-port",
    "collector.zipkin.host-port",
  ],
  "tracing-query": ["admin.http.host-port", "query.http-server.host-port", "query.grpc-server.host-port"],
  "tracing-storage": ["admin.http.host-port", "storage.http.host-port", "grpc.host-port"],
};

/** The settings that each program needs to run alone. */
const settings: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  "tracing-collector": (folder) => [
    "--span-storage.type=memory",
    `--collector.journal.dir=${folder}/journal`,
  ],
  "tracing-query": () => ["--span-storage.type=memory"],
  "tracing-storage": (folder) => [`--storage.data-dir=${folder}/storage`],
};

/** The metrics of a running process, and the API of tracing-query. */
async function tracingPages(name: string, folder: string): Promise<SourcePage[]> {
  const options = listeners[name] ?? [];
  const addresses = await freeAddresses(options.length);
  const args = options.map((option, index) => `--${option}=${addresses[index]}`);
  const [admin = "", http = ""] = addresses;
  const healthUrl = `http://${admin}/`;
  return whileRunning(name, [...args, ...(settings[name]?.(folder) ?? [])], { healthUrl }, async () => {
    const markdown = metricsPage(name, await answerOf(`http://${admin}/metrics`));
    const pages = [{ path: `reference/metrics/${name}.md`, markdown }];
    if (name === "tracing-query") {
      const document = openApiDocument.parse(JSON.parse(await answerOf(`http://${http}/api/openapi.json`)));
      const title = "HTTP API of tracing-query";
      pages.push({ path: "reference/query-api.md", markdown: apiPage(title, "/api/openapi.json", document) });
    }
    return pages;
  });
}

/** The pages of the web server: metrics, admin API and all modules. */
async function serverPages(folder: string): Promise<SourcePage[]> {
  const [admin = ""] = await freeAddresses(1);
  const config = join(folder, "server.json");
  // A server without a listener: its metrics of requests and events exist, but no port is opened.
  const subscription = { events: ["stopping"], handlers: [{ handler: "exec", command: "true" }] };
  const apps = { http: { metrics: {}, servers: {} }, events: { subscriptions: [subscription] } };
  writeFileSync(config, JSON.stringify({ apps }));
  const environment = { SERVER_ADMIN: admin, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const healthUrl = `http://${admin}/config/`;
  const args = ["run", "--workers", "1", "--config", config];
  return whileRunning("admin-server", args, { healthUrl, environment }, async () => {
    const schema = configSchema.parse(JSON.parse(await answerOf(`http://${admin}/config/schema`)));
    const document = openApiDocument.parse(JSON.parse(await answerOf(`http://${admin}/openapi.json`)));
    const metrics = metricsPage("admin-server", await answerOf(`http://${admin}/metrics`));
    return [
      { path: "reference/metrics/admin-server.md", markdown: metrics },
      {
        path: "reference/admin-api.md",
        markdown: apiPage("Admin API, path by path", "/openapi.json", document),
      },
      ...modulePages(schema, handlerExamples(readFileSync(examplesFile, "utf8"))),
    ];
  });
}

/**
 * Pages generated from the programs' output and answers: options, metrics, the modules of the web server, both HTTP
 * APIs, the tables of the store. Starts every process for a moment, on free local ports and in a temporary folder.
 */
export async function referencePages(): Promise<SourcePage[]> {
  const folder = mkdtempSync(join(tmpdir(), "docs-reference-"));
  try {
    // The programs start one after the other, because each start uses a core for a second.
    const pages = [...(await optionPages(folder)), await schemaPage(), ...(await serverPages(folder))];
    for (const name of tracingProcesses) {
      pages.push(...(await tracingPages(name, folder)));
    }
    return pages;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
