// Examples that are not run, and the reasons. All other code in a fence of \`sh\` is run unchanged.

/** A whole block, or one command of a block, by its first words. */
export interface NotRun {
  readonly page: string;
  /** Beginning of the block; undefined for a command. */
  readonly block?: string;
  /** Beginning of the command. */
  readonly command?: string;
  readonly reason: string;
}

const started = "the session begins with it: packages/launcher, without fetching Node and pnpm first";
const registry =
  "takes packages from a registry; sdk-clients.e2e.test.ts in packages/conformance sends with these SDKs";
const engine =
  "needs an engine for containers; compose.e2e.test.ts in packages/conformance runs the compose file with podman";
const trust = "changes what the machine trusts; the tests of trust do so in folders of their own";
const built = "make-release.e2e.test.ts in packages/bundler makes and runs them";
const assistant = "mcp-router.test.ts and stdio-relay.test.ts in packages/tracing-query ask as assistants do";
const journal = "quarantine-command.test.ts in packages/tracing-collector runs it on files of its own";
const genAi = "gen-ai.test.ts in packages/tracing-query asks for such figures";
const prices = "model-prices.test.ts in packages/tracing-query reads such files";
const receiver = "prometheus-receiver.e2e.test.ts in packages/tracing-query pushes to a Prometheus";
const objectives = "objectives-command.test.ts in packages/tracing-query runs the command on such a file";
const jaeger = "needs a Jaeger; import-jaeger.test.ts in packages/tracing-storage starts one";
const tempo = "needs blocks of Tempo; import-tempo.test.ts in packages/tracing-storage makes some";
const bucket = "needs a bucket; cold-storage.test.ts in packages/tracing-storage brings a server of S3's API";
const house = "npm start runs one on that port, which answers";
const long = "takes minutes";

/** Folders of pages whose examples another test runs with its own server. */
export const runElsewhere: Readonly<Record<string, string>> = {
  "reference/": "packages/admin-server/src/reference-requests.test.ts",
};

export const notRun: readonly NotRun[] = [
  { page: "README.md", block: "npm start ", reason: started },
  { page: "README.md", block: "npm test", reason: "it is what runs this" },
  { page: "quick-start.md", block: "npm start -- --demo", reason: started },
  { page: "first-span.md", block: "npm install @opentelemetry/api", reason: registry },
  { page: "first-span.md", block: "node hello.mjs", reason: registry },
  { page: "first-span.md", block: "python3 -m venv", reason: registry },
  { page: "first-span.md", block: "python hello.py", reason: registry },
  { page: "first-span.md", block: "go mod init", reason: registry },
  { page: "first-span.md", block: "export OTEL_EXPORTER_OTLP_PROTOCOL", reason: registry },
  { page: "ui.md", block: "tracing-query --query.model-prices-file", reason: prices },
  { page: "ui.md", block: "curl 'localhost:16686/api/analysis/v1/gen-ai", reason: genAi },
  { page: "objectives.md", block: "tracing-query --query.objectives-file", reason: objectives },
  { page: "objectives.md", block: "tracing-query objectives", reason: objectives },
  { page: "query.md", block: "prometheus --config.file", reason: receiver },
  { page: "processes/tracing-collector.md", block: "tracing-collector quarantine", reason: journal },
  { page: "migration-jaeger.md", block: "tracing-storage import-jaeger", reason: jaeger },
  { page: "migration-tempo.md", block: "aws s3 sync", reason: tempo },
  { page: "cold-storage.md", block: "tracing-storage --storage.cold", reason: bucket },
  { page: "assistants.md", block: "tracing-query --query.mcp.enabled", reason: assistant },
  {
    page: "command-line.md",
    command: "server hash-password ",
    reason: "asks on a terminal; hash-password's own tests give it one",
  },
  { page: "https.md", block: "node packages/admin-server/bin/server.ts trust", reason: trust },
  {
    page: "migration-caddy.md",
    block: "caddy storage",
    reason: "needs certificates that Caddy has issued; the blocks after it have one issued and do the same",
  },
  {
    page: "oidc.md",
    block: "node packages/tracing-query",
    reason: "needs an identity provider; the tests of oidc bring one",
  },
  {
    page: "processes/tracing-storage.md",
    command: "node packages/tracing-storage/bin/tracing-storage.ts import",
    reason: "needs a second machine; its own tests import into another process",
  },
  {
    page: "processes/tracing-storage.md",
    command: "node packages/tracing-storage/bin/tracing-storage.ts --storage.data-dir",
    reason: house,
  },
  { page: "processes/tracing-storage.md", command: "node packages/tracing-collector", reason: house },
  { page: "processes/tracing-storage.md", command: "node packages/tracing-query", reason: house },
  { page: "release.md", block: "docker/base-image.sh", reason: `${long}, and ${engine}` },
  { page: "release.md", block: "npx ", reason: built },
  { page: "release.md", block: "./server run", reason: built },
  {
    page: "scale.md",
    block: "node packages/tracing-collector",
    reason: "needs a cluster; cluster-contract.test.ts in packages/storage writes to one that it starts",
  },
  {
    page: "security.md",
    command: "clickhouse-client",
    reason: "needs a ClickHouse; least-rights.e2e.test.ts runs the statements",
  },
  {
    page: "benchmarks.md",
    block: "npm run bench",
    reason: `${long}; bench's own tests run each suite for a moment`,
  },
  { page: "benchmarks-history.md", block: "npm run bench", reason: "what benchmarks.md has" },
  { page: "compose.md", block: "docker compose up", reason: engine },
  { page: "compose.md", block: "docker compose cp", reason: engine },
  { page: "compose.md", block: "docker compose exec", reason: engine },
  { page: "compose.md", block: "docker/base-image.sh", reason: engine },
  {
    page: "conformance.md",
    block: "npm run conformance",
    reason: `${long}; suites.e2e.test.ts runs the suites`,
  },
  {
    page: "conformance.md",
    block: "packages/conformance/peers/build-tempo.sh",
    reason: `${long}, and Go; tempo.e2e.test.ts compares where Tempo is`,
  },
  { page: "faults.md", block: "npm run chaos", reason: `${long}; chaos.e2e.test.ts runs the short form` },
  {
    page: "faults.md",
    block: "node packages/conformance/bin/faults.ts",
    reason: `${long}; kills.e2e.test.ts runs the short form`,
  },
  {
    page: "faults.md",
    block: "FUZZ_ROUNDS=1000000",
    reason: "takes most of an hour; the same tests run with fewer inputs in every run",
  },
  {
    page: "faults.md",
    block: "npm run soak",
    reason: "takes an hour; bench's own test soaks for some seconds",
  },
  {
    page: "kubernetes-controller.md",
    block: "kubectl apply",
    reason:
      "needs a cluster with nodes; kubernetes.e2e.test.ts in packages/conformance uses the manifest's rights",
  },
  { page: "kubernetes.md", block: "helm install", reason: "needs a cluster; helm.test.ts reads the charts" },
  {
    page: "kubernetes.md",
    block: "kubectl apply",
    reason: "needs a cluster; kubernetes.test.ts checks the manifests",
  },
  {
    page: "systemd.md",
    block: "sudo npm install",
    reason: "needs systemd; systemd.test.ts in packages/conformance checks the units",
  },
];
