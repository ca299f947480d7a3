import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readProgram } from "bundler/program";

/** One port that a process listens on. */
export interface ServicePort {
  readonly port: number;
  readonly protocol: "tcp" | "udp";
  /** The listener's purpose, for messages. */
  readonly what: string;
  /** Host to listen on; when absent, the process listens on every address of the machine. */
  readonly host?: string;
}

/** A process, with program, ports and health check. */
export interface Service {
  /** Name of the process, which is printed before each of its lines. */
  readonly name: string;
  /** Path of the program. */
  readonly program: string;
  /** Options of Node, before the program. */
  readonly nodeOptions?: readonly string[];
  readonly arguments: readonly string[];
  /** Additional environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ports that must be free before the start of any process. */
  readonly ports: readonly ServicePort[];
  /**
   * File with the state of the last run, which the process loads at its start. A faulty state file may prevent the
   * start.
   */
  readonly stateFile?: string;
  /** URL that answers 200 when the process is healthy; undefined for a process without a port. */
  readonly healthUrl?: string;
}

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

/**
 * The program of a process: the build, which needs half the memory, or the sources when there is no build. The options
 * for Node are set here: the built program would restart itself to set them, and lose the channel to this process.
 */
function programOf(
  name: string,
  program = name,
): Pick<Service, "name" | "program" | "nodeOptions"> & {
  environment: Record<string, string>;
} {
  const folder = new URL(`../../${name}/`, import.meta.url);
  const built = fileURLToPath(new URL(`dist/${program}.cjs`, folder));
  const source = fileURLToPath(new URL(`bin/${program}.ts`, folder));
  const { nodeOptions, environment } = readProgram(folder);
  return { name, program: existsSync(built) ? built : source, nodeOptions, environment };
}

/** Adds the variables that name the store. */
function withStore<Part extends Pick<Service, "environment">>(
  part: Part,
  store: Service["environment"],
): Part {
  return { ...part, environment: { ...part.environment, ...store } };
}

/** Options that select the processes of one `npm start`. */
export interface LaunchScope {
  /** Absolute path of the data folder; each process has its own subfolder. */
  readonly dataFolder: string;
  /** True: starts the example shop, which sends traffic continuously. */
  readonly demo?: boolean;
  /** True: starts only the web server. */
  readonly serverOnly?: boolean;
  /**
   * URL of the ClickHouse server that stores the spans; when undefined, tracing-storage on this machine stores them.
   */
  readonly clickhouse?: string;
}

/** Address at which the collector of this machine receives spans. */
const ownSpansTo = "http://127.0.0.1:4318";

// The example shop, which sends spans all the time. The shop opens no port.
const shop: Service = {
  name: "shop",
  program: `${examples}shop/bin/shop.ts`,
  arguments: [],
  environment: { OTEL_EXPORTER_OTLP_ENDPOINT: ownSpansTo },
  ports: [],
};

/** Settings that differ between the web server with tracing and the web server without. */
interface WebServerRun {
  /** File in `packages/launcher/config/` for the first run; later runs load the saved state. */
  readonly config: string;
  /**
   * Folder of the saved state. Each config has its own, because a state that was saved without tracing has no route to
   * the tracing UI.
   */
  readonly stateFolder: string;
  /** Variables that make the web server send its own spans; when absent, it sends no spans. */
  readonly tracing?: Readonly<Record<string, string>>;
}

/**
 * The web server process. It loads the configuration that its admin API saved last. The config file is used only for
 * the first run.
 */
function webServer(dataFolder: string, { config, stateFolder, tracing }: WebServerRun): Service {
  const program = programOf("admin-server", "server");
  const configFolder = `${dataFolder}/admin-server/${stateFolder}`;
  return {
    ...program,
    arguments: [
      "run",
      "--resume",
      "--config",
      fileURLToPath(new URL(`../config/${config}`, import.meta.url)),
    ],
    environment: {
      ...program.environment,
      XDG_CONFIG_HOME: configFolder,
      XDG_DATA_HOME: `${dataFolder}/admin-server/data`,
      ...tracing,
    },
    ports: [
      { port: 2019, protocol: "tcp", what: "admin API", host: "127.0.0.1" },
      { port: 8080, protocol: "tcp", what: "front door" },
    ],
    stateFile: `${configFolder}/server/autosave.json`,
    healthUrl: "http://127.0.0.1:2019/config/",
  };
}

/**
 * The processes that receive spans and answer searches.
 * @param store variables that name the store; {} means the store on this machine
 */
function tracingServices(dataFolder: string, store: Service["environment"]): Service[] {
  return [
    {
      ...programOf("tracing-agent"),
      arguments: [],
      ports: [
        { port: 5775, protocol: "udp", what: "Zipkin compact over UDP" },
        { port: 6831, protocol: "udp", what: "Thrift compact over UDP" },
        { port: 6832, protocol: "udp", what: "Thrift binary over UDP" },
        { port: 5778, protocol: "tcp", what: "sampling for clients" },
        { port: 14271, protocol: "tcp", what: "admin port" },
      ],
      healthUrl: "http://127.0.0.1:14271/",
    },
    {
      ...withStore(programOf("tracing-collector"), store),
      arguments: [
        ...["--collector.journal.dir", `${dataFolder}/collector`],
        ...["--collector.zipkin.host-port", ":9411"],
      ],
      ports: [
        { port: 4317, protocol: "tcp", what: "OTLP over gRPC" },
        { port: 4318, protocol: "tcp", what: "OTLP over HTTP" },
        { port: 14250, protocol: "tcp", what: "gRPC" },
        { port: 14268, protocol: "tcp", what: "Thrift over HTTP" },
        { port: 9411, protocol: "tcp", what: "Zipkin over HTTP" },
        { port: 14269, protocol: "tcp", what: "admin port" },
      ],
      healthUrl: "http://127.0.0.1:14269/",
    },
    {
      ...withStore(programOf("tracing-query"), store),
      arguments: ["--query.views-dir", `${dataFolder}/views`],
      ports: [
        { port: 16685, protocol: "tcp", what: "gRPC" },
        { port: 16686, protocol: "tcp", what: "HTTP and the UI" },
        { port: 16687, protocol: "tcp", what: "admin port" },
      ],
      healthUrl: "http://127.0.0.1:16687/",
    },
  ];
}

/** The processes in the order in which they are stopped: receivers of traffic first, the store last. */
export function services({
  dataFolder,
  demo = false,
  serverOnly = false,
  clickhouse,
}: LaunchScope): Service[] {
  const store: Record<string, string> = clickhouse === undefined ? {} : { CLICKHOUSE_URL: clickhouse };
  if (serverOnly) {
    return [webServer(dataFolder, { config: "server-only.json", stateFolder: "config-server-only" })];
  }
  const all: Service[] = [
    ...(demo ? [shop] : []),
    webServer(dataFolder, {
      config: "front-door.json",
      stateFolder: "config",
      tracing: { OTEL_EXPORTER_OTLP_ENDPOINT: ownSpansTo, OTEL_SERVICE_NAME: "front-door" },
    }),
    ...tracingServices(dataFolder, store),
    {
      ...programOf("tracing-storage"),
      arguments: ["--storage.data-dir", `${dataFolder}/storage`],
      ports: [
        { port: 8123, protocol: "tcp", what: "ClickHouse HTTP protocol", host: "127.0.0.1" },
        { port: 17271, protocol: "tcp", what: "remote storage over gRPC" },
        { port: 17270, protocol: "tcp", what: "admin port" },
      ],
      healthUrl: "http://127.0.0.1:17270/",
    },
  ];
  return all.filter(({ name }) => clickhouse === undefined || name !== "tracing-storage");
}
