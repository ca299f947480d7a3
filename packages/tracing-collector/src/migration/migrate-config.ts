import { StartError } from "lifecycle";
import { applyRules, TargetOptions } from "./apply-rules.ts";
import { type BackendUse, backendRules } from "./jaeger-backends.ts";
import { jaegerRules } from "./jaeger-rules.ts";
import { type MigratedLine, type Migration, needless, type Rule, type TargetProcess } from "./migration.ts";
import { pathKey, readSourceConfig, type Setting, type SourceConfig } from "./source-config.ts";
import { tailPoliciesOf } from "./tail-policies-of.ts";
import { tempoRules } from "./tempo-rules.ts";

/** Converts a configuration of Jaeger 2 or of Tempo. @throws StartError for other files */
export function migrateConfig(text: string, origin: string): Migration {
  const config = readSourceConfig(text, origin);
  const roots = new Set(config.settings.map(({ path }) => path[0]));
  if (roots.has("apiVersion") && roots.has("kind")) {
    throw new StartError(
      `migrate-config: ${origin} is an object of Kubernetes: write the configuration that is in it to a file`,
    );
  }
  if (roots.has("service") || roots.has("receivers") || roots.has("extensions")) {
    return migrateJaeger(config);
  }
  if (roots.has("distributor") || roots.has("storage") || roots.has("ingester") || roots.has("server")) {
    return migrateTempo(config);
  }
  throw new StartError(
    `migrate-config: ${origin} is neither a configuration of Jaeger 2 (service, receivers, extensions) nor of Tempo (distributor, storage)`,
  );
}

/** Listeners with settings but without an address: the OpenTelemetry Collector opens them at their default address. */
function impliedListeners({ settings, lines }: SourceConfig, root: string): Setting[] {
  const known = new Set(settings.map(({ path }) => pathKey(path)));
  return [...lines].flatMap(([key, line]): Setting[] => {
    const path = key.split("\n");
    const place = path.join(".");
    const isListener =
      new RegExp(`^${root}\\.(otlp|jaeger)(/[^.]*)?\\.protocols\\.[a-z_]+$`).test(place) ||
      new RegExp(`^${root}\\.zipkin(/[^.]*)?$`).test(place);
    return isListener && !known.has(key) && !known.has(pathKey([...path, "endpoint"]))
      ? [{ path, line, value: null }]
      : [];
  });
}

/** Values, as texts, of the settings whose path `isThere` accepts. A list gives each of its items. */
function textsAt(config: SourceConfig, isThere: (path: readonly string[]) => boolean): string[] {
  return config.settings
    .filter(({ path }) => isThere(path))
    .flatMap(({ value }) => (Array.isArray(value) ? value : [value]))
    .map(String);
}

/** Names of the components that the service uses, by kind. */
function usedComponents(config: SourceConfig): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map([
    ["extensions", new Set(textsAt(config, (path) => path.join(".") === "service.extensions"))],
    ...["receivers", "processors", "exporters"].map(
      (kind) =>
        [
          kind,
          new Set(
            textsAt(
              config,
              (path) => path[0] === "service" && path[1] === "pipelines" && path.at(-1) === kind,
            ),
          ),
        ] as const,
    ),
  ]);
}

/** Rules for components that the service does not use. The OpenTelemetry Collector does not start them either. */
function unusedRules(config: SourceConfig): Rule[] {
  const used = usedComponents(config);
  const components = new Set(
    config.settings.map(({ path }) => pathKey(path.slice(0, 2))).filter((key) => key.includes("\n")),
  );
  const isKnown = (used.get("receivers")?.size ?? 0) > 0;
  return [...components].flatMap((key): Rule[] => {
    const [kind = "", name = ""] = key.split("\n");
    // Patterns cannot contain names with dots; for them the rules of the type apply.
    return isKnown && used.get(kind)?.has(name) === false && !name.includes(".")
      ? [[`${kind}.${name}.**`, needless("is not listed under service, so nothing starts it")]]
      : [];
  });
}

/** The backends of `jaeger_storage`, each with our processes that take the place of the components that use it. */
function backendUses(config: SourceConfig): BackendUse[] {
  const backends = "extensions.jaeger_storage.backends";
  const names = new Set(
    config.settings
      .filter(({ path }) => path.slice(0, 3).join(".") === backends && path.length > 3)
      .map(({ path }) => path[3] as string),
  );
  const at = (...places: string[]) => new Set(textsAt(config, (path) => places.includes(path.join("."))));
  const written = new Set(
    textsAt(config, (path) => path[0] === "exporters" && path.at(-1) === "trace_storage"),
  );
  const read = at("extensions.jaeger_query.storage.traces", "extensions.jaeger_query.trace_storage");
  const served = at("extensions.remote_storage.storage");
  const archived = at("extensions.jaeger_query.storage.traces_archive");
  return [...names].map((name) => {
    const processes: TargetProcess[] = [];
    if (written.has(name)) {
      processes.push("tracing-collector");
    }
    if (read.has(name)) {
      processes.push("tracing-query");
    }
    if (served.has(name)) {
      processes.push("tracing-storage");
    }
    return { name, processes, isArchive: archived.has(name) };
  });
}

/**
 * Migrates Jaeger. A collector is created for receivers, and a query process for a query service. A storage process is
 * created only when the spans are stored nowhere else.
 */
function migrateJaeger(config: SourceConfig): Migration {
  const target = new TargetOptions();
  const roots = new Set(config.settings.map(({ path }) => path.slice(0, 2).join(".")));
  const isThere = (place: string) =>
    [...roots].some((root) => root === place || root.startsWith(`${place}/`));
  if ([...roots].some((root) => root.startsWith("receivers.")) && !isThere("receivers.nop")) {
    target.of("tracing-collector");
  }
  if (isThere("extensions.jaeger_query")) {
    target.of("tracing-query");
  }
  const uses = backendUses(config);
  const used = usedComponents(config).get("processors");
  const tail = tailPoliciesOf(
    config.settings.filter(({ path }) => isTail(path) && used?.has(path[1] as string)),
  );
  const isPolicy = ({ path }: Setting) => isTail(path) && tail.outcomes.has(pathKey(path.slice(0, 4)));
  const rest = [
    ...config.settings.filter((setting) => !isPolicy(setting)),
    ...impliedListeners(config, "receivers"),
  ];
  const rules = [...unusedRules(config), ...uses.flatMap(backendRules), ...jaegerRules];
  const lines = applyRules(rest, rules, target);
  const policies: MigratedLine[] = [...tail.outcomes].map(([key, outcome]) => ({
    line: config.lines.get(key) ?? 1,
    place: key.replaceAll("\n", "."),
    outcome: target.add(outcome),
  }));
  needStorage(target);
  return {
    product: "Jaeger 2",
    lines: [...lines, ...policies].sort((a, b) => a.line - b.line),
    processes: target.processes,
    ...(tail.policies.length === 0 ? {} : { tailPolicies: tail.policies }),
  };
}

/** True for a path inside the policies of a processor `tail_sampling` or `tail_sampling/NAME`. */
function isTail(path: readonly string[]): boolean {
  return path[0] === "processors" && path[1]?.split("/")[0] === "tail_sampling" && path[2] === "policies";
}

/** Migrates Tempo. Tempo is one program with all parts, so the result always has a collector and a query service. */
function migrateTempo(config: SourceConfig): Migration {
  const target = new TargetOptions();
  target.of("tracing-collector");
  target.of("tracing-query");
  const settings = [...config.settings, ...impliedListeners(config, String.raw`distributor\.receivers`)];
  const lines = applyRules(settings, tempoRules(settings), target).sort((a, b) => a.line - b.line);
  needStorage(target);
  return { product: "Tempo", lines, processes: target.processes };
}

/** Adds our storage process when no other store is configured. */
function needStorage(target: TargetOptions): void {
  const users = ["tracing-collector", "tracing-query"] as const;
  const isElsewhere = users.some((process) => {
    const options = target.processes.get(process);
    return options?.has("clickhouse.url") || options?.get("span-storage.type") === "grpc";
  });
  if (!isElsewhere) {
    target.of("tracing-storage");
  }
}
