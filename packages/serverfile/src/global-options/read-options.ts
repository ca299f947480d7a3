import { adminAddressOf } from "server-core/admin/admin-address";
import { errorWithin, ServerError } from "server-core/errors";
import { readBind } from "../directives/bind.ts";
import type { DirectiveTable } from "../directives/directive.ts";
import type { Segment } from "../lexer/token.ts";
import { TokenCursor } from "../lexer/token-cursor.ts";
import { readLog } from "../modules/logging/read-log.ts";
import type { ReadModule } from "../modules/module-reader.ts";
import { readPreferredChains } from "../modules/tls/issuers.ts";
import type { GlobalOptions } from "../sites/global-options.ts";
import type { TextFeatures } from "../text-features.ts";
import { type FieldReader, parsed, readFields } from "../values/block-fields.ts";
import { type Draft, listOf, onlyGiven, setAt } from "../values/draft.ts";
import { parseDuration } from "../values/parse-duration.ts";
import { parseFloatingPoint, parseInteger } from "../values/parse-number.ts";
import { insertionSort } from "../values/stable-sort.ts";
import { readAuthorities } from "./authorities.ts";
import { readServerOptions } from "./server-options.ts";

/** Data and functions for the reader of an option. */
interface OptionContext {
  readonly cursor: TokenCursor;
  readonly options: GlobalOptions;
  readonly directives: DirectiveTable;
  readonly readModule: ReadModule;
}

/** Reads one option into `options`. @throws ServerError CONFIG_ADAPTER */
type OptionReader = (context: OptionContext) => void;

/** Returns the only word after the option's name. */
function onlyWord(cursor: TokenCursor): string {
  if (!cursor.next()) {
    throw cursor.argumentError();
  }
  const word = cursor.value;
  if (cursor.next()) {
    throw cursor.argumentError();
  }
  return word;
}

/** An option with one word as its value, such as `email`. */
function word(set: (options: GlobalOptions, value: string) => void): OptionReader {
  return ({ cursor, options }) => set(options, onlyWord(cursor));
}

/** An option without a value, such as `debug`. */
function yes(set: (options: GlobalOptions) => void): OptionReader {
  return ({ options }) => set(options);
}

/** An option with a duration in nanoseconds, such as `grace_period 10s`. */
function time(set: (options: GlobalOptions, nanoseconds: number) => void): OptionReader {
  return ({ cursor, options }) => {
    if (!cursor.next()) {
      throw cursor.argumentError();
    }
    set(options, parsed(cursor, cursor.value, parseDuration, ""));
  };
}

/** An option with a port, such as `http_port 8080`. */
function port(set: (options: GlobalOptions, value: number) => void): OptionReader {
  return ({ cursor, options }) => {
    const text = cursor.onlyArgument();
    set(options, parsed(cursor, text, parseInteger, "converting port '%s' to integer value"));
  };
}

/** An option whose only value is `off`. */
function off(name: string, set: (options: GlobalOptions) => void): OptionReader {
  return ({ cursor, options }) => {
    if (onlyWord(cursor) !== "off") {
      throw cursor.error(`${name} must be 'off'`);
    }
    set(options);
  };
}

/**
 * `order name first | last | before other | after other`: changes the position of a directive in the order of
 * execution.
 */
const order: OptionReader = ({ cursor, options, directives }) => {
  const needsNext = () => {
    if (!cursor.next()) {
      throw cursor.argumentError();
    }
    return cursor.value;
  };
  const name = needsNext();
  if (!directives.has(name)) {
    throw cursor.error(`${name} is not a registered directive`);
  }
  const position = needsNext();
  const others = options.order.filter((each) => each !== name);
  if (position === "first" || position === "last") {
    cursor.noMoreArguments();
    options.order = position === "first" ? [name, ...others] : [...others, name];
    return;
  }
  if (position !== "before" && position !== "after") {
    throw cursor.error(`unknown positional '${position}'`);
  }
  const other = cursor.argument();
  cursor.noMoreArguments();
  const at = others.indexOf(other);
  if (at === -1) {
    throw cursor.error(`directive '${other}' not found`);
  }
  options.order = others.toSpliced(position === "after" ? at + 1 : at, 0, name);
};

/**
 * `admin [off | address] { … }`. Without an address, the config gets the address from the environment, or the default.
 */
const admin: OptionReader = ({ cursor, options }) => {
  const draft: Draft = {};
  if (cursor.nextArgument()) {
    if (cursor.value === "off") {
      draft.disabled = true;
      if (cursor.next()) {
        throw cursor.error("No more option is allowed after turning off admin config");
      }
    } else {
      setAt(draft, "listen", cursor.value);
      cursor.noMoreArguments();
    }
  }
  const fields: Readonly<Record<string, FieldReader>> = {
    enforce_origin: (_line, read) => {
      read.enforce_origin = true;
    },
    origins: (line, read) => setAt(read, "origins", line.remainingArguments()),
    // This option is an addition to Caddy.
    mcp: (line, read) => {
      const mcp: Draft = { enabled: true };
      if (line.nextArgument()) {
        if (line.value !== "allow_changes") {
          throw line.error(`mcp takes allow_changes or nothing, not '${line.value}'`);
        }
        mcp.allow_changes = true;
        line.noMoreArguments();
      }
      read.mcp = mcp;
    },
  };
  readFields(cursor, draft, fields, (name) => `unrecognized parameter '${name}'`);
  if (draft.listen === undefined && draft.disabled !== true) {
    draft.listen = adminAddressOf(process.env);
  }
  options.admin = draft;
};

/** `on_demand_tls { ask url }` or `on_demand_tls { permission module … }`: exactly one of the two lines is required. */
const onDemand: OptionReader = ({ cursor, options, readModule }) => {
  cursor.noMoreArguments();
  const draft: Draft = {};
  const claim = (line: TokenCursor) => {
    const argument = line.argument();
    if (draft.permission !== undefined) {
      throw line.error("on-demand TLS permission module (or 'ask') already specified");
    }
    return argument;
  };
  const gone =
    (name: string): FieldReader =>
    (line) => {
      throw line.error(
        `the on_demand_tls '${name}' option is no longer supported, remove it from your config`,
      );
    };
  const fields: Readonly<Record<string, FieldReader>> = {
    ask: (line) => {
      draft.permission = { module: "http", endpoint: claim(line) };
    },
    permission: (line) => {
      claim(line);
      draft.permission = readModule(line, "tls.permission", "module");
    },
    interval: gone("interval"),
    burst: gone("burst"),
  };
  readFields(cursor, draft, fields, (name) => `unrecognized parameter '${name}'`);
  if (draft.permission === undefined) {
    throw cursor.error("expected at least one config parameter for on_demand_tls");
  }
  options.onDemand = draft;
};

const autoHttpsModes = ["off", "disable_redirects", "disable_certs", "ignore_loaded_certs"];

/** `auto_https off` and similar. @throws ServerError CONFIG_ADAPTER for an unknown mode */
const autoHttps: OptionReader = ({ cursor, options }) => {
  const modes = cursor.someArguments();
  if (modes.some((mode) => !autoHttpsModes.includes(mode))) {
    throw cursor.error(
      "auto_https must be one of 'off', 'disable_redirects', 'disable_certs', or 'ignore_loaded_certs'",
    );
  }
  options.autoHttps = modes;
};

/** `metrics { per_host … }`. */
const metrics: OptionReader = ({ cursor, options }) => {
  const draft: Draft = {};
  while (cursor.nextInBlock(0)) {
    if (!["per_host", "observe_catchall_hosts", "otlp"].includes(cursor.value)) {
      throw cursor.error(`unrecognized servers option '${cursor.value}'`);
    }
    draft[cursor.value] = true;
  }
  options.metrics = draft;
};

/** `log [name] { … }`: a log of the server; the default name is `default`. */
const log: OptionReader = ({ cursor, options, readModule }) => {
  const name = cursor.nextArgument() ? cursor.value : "default";
  cursor.noMoreArguments();
  if (options.logs.some((each) => each.name === name)) {
    throw cursor.error(`duplicate global log option for: ${name}`);
  }
  const { draft, isEmpty } = readLog(cursor, readModule, true);
  options.logs.push({ name, hosts: [], noHost: false, log: isEmpty ? undefined : draft });
};

/** `acme_eab { key_id … mac_key … }`. */
const acmeEab: OptionReader = ({ cursor, options }) => {
  cursor.noMoreArguments();
  const draft: Draft = { key_id: "", mac_key: "" };
  const member =
    (name: string): FieldReader =>
    (line) => {
      draft[name] = line.argument();
    };
  const fields = { key_id: member("key_id"), mac_key: member("mac_key") };
  readFields(cursor, draft, fields, (name) => `unrecognized parameter '${name}'`);
  options.acmeEab = draft;
};

/** `renewal_window_ratio 0.3`, above 0 and below 1. */
const ratio: OptionReader = ({ cursor, options }) => {
  const value = parsed(cursor, onlyWord(cursor), parseFloatingPoint, "parsing renewal_window_ratio");
  if (value <= 0 || value >= 1) {
    throw cursor.error("renewal_window_ratio must be between 0 and 1 (exclusive)");
  }
  options.renewalWindowRatio = value;
};

/**
 * `ech name… { dns provider … }`: public names for Encrypted Client Hello, and the module that publishes their keys.
 */
const ech: OptionReader = ({ cursor, options, readModule }) => {
  const names = cursor.someArguments();
  const draft: Draft = { configs: names.map((name) => onlyGiven({ public_name: name })) };
  const dns: FieldReader = (line, read) => {
    line.argument();
    const provider = readModule(line, "dns.providers", "name");
    listOf(read, "publication").push({ configs: names, publishers: { dns: { provider } } });
  };
  readFields(cursor, draft, { dns }, (name) => `ech: unrecognized subdirective '${name}'`);
  options.encryptedClientHello = draft;
};

/** `events { on event handler … }`; the event `*` means all events, which the JSON writes as "". */
const events: OptionReader = ({ cursor, options, readModule }) => {
  const subscriptions: Draft[] = [];
  while (cursor.nextInBlock(0)) {
    if (cursor.value !== "on") {
      throw cursor.argumentError();
    }
    const event = cursor.argument();
    cursor.argument();
    const handler = readModule(cursor, "events.handlers", "handler");
    subscriptions.push({ events: [event === "*" ? "" : event], handlers: [handler] });
  }
  options.events = onlyGiven({ subscriptions });
};

/** Moves the cursor to the module's name, and reads the module. */
function moduleAfterName(context: OptionContext, namespace: string, inline: string): Draft {
  if (!context.cursor.next()) {
    throw context.cursor.argumentError();
  }
  return context.readModule(context.cursor, namespace, inline);
}

/** The app that the option `filesystem` adds to. */
const filesystemsApp = "caddy.filesystems";

/** Readers of all global options. The cursor is on the option's name. Source: Caddy 2.11 */
const optionReaders: Readonly<Record<string, OptionReader>> = {
  acme_ca: word((options, value) => {
    options.acmeCa = value;
  }),
  acme_ca_root: word((options, value) => {
    options.acmeCaRoot = value;
  }),
  acme_dns: (context) => {
    context.options.acmeDns = context.cursor.next()
      ? context.readModule(context.cursor, "dns.providers", "name")
      : null;
  },
  acme_eab: acmeEab,
  admin,
  auto_https: autoHttps,
  cert_issuer: (context) => {
    const issuer = moduleAfterName(context, "tls.issuance", "module");
    context.options.certIssuers = [...(context.options.certIssuers ?? []), issuer];
  },
  cert_lifetime: time((options, value) => {
    options.certLifetime = value;
  }),
  debug: yes((options) => {
    options.debug = true;
  }),
  default_bind: ({ cursor, options }) => {
    cursor.reset();
    const bind = readBind(cursor);
    const addresses = bind.addresses.length === 0 ? [""] : bind.addresses;
    options.defaultBind = [...(options.defaultBind ?? []), { ...bind, addresses }];
  },
  default_sni: word((options, value) => {
    options.defaultSni = value;
  }),
  dns: (context) => {
    context.options.dns = moduleAfterName(context, "dns.providers", "name");
  },
  ech,
  email: word((options, value) => {
    options.email = value;
  }),
  events,
  fallback_sni: word((options, value) => {
    options.fallbackSni = value;
  }),
  filesystem: (context) => {
    const { cursor, options, readModule } = context;
    const name = cursor.argument();
    cursor.argument();
    const filesystem = { name, file_system: readModule(cursor, "caddy.fs", "backend") };
    const earlier = options.apps?.[filesystemsApp]?.filesystems;
    const filesystems = [...(Array.isArray(earlier) ? earlier : []), filesystem];
    options.apps = { ...options.apps, [filesystemsApp]: { filesystems } };
  },
  grace_period: time((options, value) => {
    options.gracePeriod = value;
  }),
  http_port: port((options, value) => {
    options.httpPort = value;
  }),
  https_port: port((options, value) => {
    options.httpsPort = value;
  }),
  key_type: word((options, value) => {
    options.keyType = value;
  }),
  local_certs: yes((options) => {
    options.localCerts = true;
  }),
  log,
  metrics,
  modules: ({ cursor, options }) => {
    options.modules = [...(options.modules ?? []), ...cursor.someArguments()];
  },
  ocsp_interval: time((options, value) => {
    options.ocspInterval = value;
  }),
  ocsp_stapling: ({ cursor, options }) => {
    const value = cursor.onlyArgument();
    if (value !== "off") {
      throw cursor.error(`invalid argument '${value}'`);
    }
    options.ocspStaplingOff = true;
  },
  on_demand_tls: onDemand,
  order,
  persist_config: off("persist_config", (options) => {
    options.persistsConfig = false;
  }),
  pki: ({ cursor, options }) => {
    options.authorities = readAuthorities(cursor);
  },
  preferred_chains: ({ cursor, options }) => {
    options.preferredChains = readPreferredChains(cursor);
  },
  renew_interval: time((options, value) => {
    options.renewInterval = value;
  }),
  renewal_window_ratio: ratio,
  servers: ({ cursor, options, readModule }) => {
    cursor.reset();
    options.servers.push(readServerOptions(cursor, readModule));
  },
  shutdown_delay: time((options, value) => {
    options.shutdownDelay = value;
  }),
  skip_install_trust: yes((options) => {
    options.skipInstallTrust = true;
  }),
  storage: (context) => {
    context.options.storage = moduleAfterName(context, "storage", "module");
  },
  storage_check: off("storage_check", (options) => {
    options.storageCheckOff = true;
  }),
  storage_clean_interval: ({ cursor, options }) => {
    const value = onlyWord(cursor);
    const fault = "failed to parse storage_clean_interval, must be a duration or 'off'";
    options.storageCleanInterval = value === "off" ? false : parsed(cursor, value, parseDuration, fault);
  },
  tls_automate_names: ({ cursor, options }) => {
    options.automateNames = [...(options.automateNames ?? []), ...cursor.someArguments()];
  },
  tls_resolvers: ({ cursor, options }) => {
    options.tlsResolvers = cursor.someArguments();
  },
};

export const globalOptionNames: readonly string[] = Object.keys(optionReaders);

/**
 * Files or packages with the user's own modules, as the global options name them. They must be loaded first, because
 * the rest of the text may contain their directives.
 */
export function namedModules(segments: readonly Segment[]): string[] {
  return segments.flatMap(([first, ...words]) =>
    first?.text === "modules" ? words.map(({ text }) => text) : [],
  );
}

/** The option reader that an app provides. */
function appReader(name: string, features: TextFeatures): OptionReader | undefined {
  const read = features.optionReaderOf(name);
  return (
    read &&
    (({ cursor, options, readModule }) => {
      options.apps = { ...options.apps, [name]: read(cursor, readModule, options.apps?.[name]) };
    })
  );
}

/**
 * Reads the lines of the block of global options.
 * @throws ServerError CONFIG_ADAPTER with file and line
 */
export function readGlobalOptions(segments: readonly Segment[], features: TextFeatures): GlobalOptions {
  const { readModule } = features;
  const options: GlobalOptions = { order: features.order, servers: [], logs: [] };
  for (const segment of segments) {
    const cursor = new TokenCursor(segment);
    cursor.next();
    const name = cursor.value;
    const reader = Object.hasOwn(optionReaders, name) ? optionReaders[name] : appReader(name, features);
    if (reader === undefined) {
      throw new ServerError(
        "CONFIG_ADAPTER",
        `${cursor.file}:${cursor.line}: unrecognized global option: ${name}`,
        { place: { file: cursor.file, line: cursor.line, word: name } },
      );
    }
    try {
      reader({ cursor, options, directives: features, readModule });
    } catch (error) {
      throw errorWithin(`parsing serverfile tokens for '${name}'`, error);
    }
  }
  insertionSort(options.servers, 0, options.servers.length, (a, b) => a.address.length > b.address.length);
  const seen = new Set<string>();
  for (const { address } of options.servers) {
    if (seen.has(address)) {
      throw new ServerError(
        "CONFIG_ADAPTER",
        `cannot have 'servers' global options with duplicate listener addresses: ${address}`,
      );
    }
    seen.add(address);
  }
  return options;
}
