// The config with which `server run` starts:
//
// | options | config |
// |---|---|
// | `--resume`, and a config was saved | the saved config; if it is damaged, the newest config of the history |
// | `--config file` | the file |
// | neither, and a Serverfile is in the folder | that Serverfile |
// | otherwise | no config: only the admin endpoint runs |

import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Logger } from "lifecycle";
import { StartError } from "lifecycle/errors";
import { ChangeLock } from "server-core/engine/change-lock";
import { errorWithin, messageOf } from "server-core/errors";
import type { CheckedText } from "server-core/files/text-checksum";
import type { Server } from "../server.ts";
import { damageOf, isJson } from "./damaged-autosave.ts";
import { sendPingback } from "./pingback.ts";
import { findDefaultConfig, printWarnings, type ReadConfig, readConfig } from "./read-config.ts";
import { runServer, type ServerRun } from "./run-server.ts";
import { watchConfig } from "./watch-config.ts";

/** The arguments of `server run`. */
export interface RunFromConfig extends Pick<ServerRun, "workers" | "logLevel" | "logEncoding"> {
  /** Config file; "": the default file, if it exists. */
  readonly config: string;
  /** Name of the file's format; "": the format is guessed. */
  readonly adapter: string;
  /** True: the saved config takes precedence over the file. */
  readonly resume: boolean;
  /** True: the file is loaded again after each change. */
  readonly watch: boolean;
  /** File for the process id; "": no file. */
  readonly pidfile: string;
  /** Address that is notified when the server runs; "": no notice. */
  readonly pingback: string;
}

/** The running config was not loaded from the file. */
class OtherConfig extends Error {}

/** The config file. It is loaded again after SIGUSR1, and after each change while it is watched. */
class ConfigFile {
  readonly path: string;
  /** Name of the file's format; "": the format is guessed. */
  readonly #adapter: string;
  /** Allows only one reload at a time. */
  readonly #reloads = new ChangeLock(1);
  /** The file's config as JSON, as it was loaded first; undefined when the saved configuration runs. */
  current: Uint8Array | undefined;

  constructor(path: string, adapter: string) {
    this.path = path;
    this.#adapter = adapter;
  }

  /** @throws StartError, ServerError */
  async load(server: Server): Promise<void> {
    const config = await this.#read();
    await this.#apply(server, config, { author: this.path });
    this.current = config.json;
  }

  /** Handles SIGUSR1: loads the file again, provided that the running config came from it. */
  async reload(server: Server, log: Logger): Promise<void> {
    // Only one reload runs at a time, so that an older content never replaces a newer one.
    await this.#reloads.runAnyway(async () => {
      try {
        this.#refuseOther(server);
        const config = await this.#read();
        await this.#apply(server, config, {
          force: true,
          author: `SIGUSR1, ${this.path}`,
          admit: () => this.#refuseOther(server),
        });
      } catch (error) {
        if (error instanceof OtherConfig) {
          log.warn("SIGUSR1: the configuration no longer is that of --config, so it stays");
        } else {
          log.error(`SIGUSR1: ${messageOf(error)}`);
        }
      }
    });
  }

  /** @throws OtherConfig */
  #refuseOther(server: Server): void {
    if (this.path === "" || this.path === "-" || server.engine.sourceFile !== this.path) {
      throw new OtherConfig();
    }
  }

  /**
   * Watches the file. If the file cannot be watched, a warning is logged, and the server still runs.
   * @returns a function that stops watching; undefined without a watch
   */
  watch(server: Server, log: Logger): undefined | (() => Promise<void>) {
    if (this.current === undefined || this.path === "-") {
      log.warn("--watch: no configuration file runs, so there is none to watch");
      return undefined;
    }
    return watchConfig(this.path, this.#adapter, {
      current: this.current,
      log,
      load: (config) => this.#apply(server, config, { author: `--watch, ${this.path}` }),
    });
  }

  /** Reads the file, and prints the adapter's warnings. @throws StartError */
  async #read(): Promise<ReadConfig> {
    const config = await readConfig(this.path, this.#adapter);
    printWarnings(this.path, config.warnings);
    return config;
  }

  /** @throws ServerError; the message names the file */
  async #apply(
    server: Server,
    { json }: ReadConfig,
    options: { readonly author: string; readonly force?: boolean; readonly admit?: () => void },
  ): Promise<void> {
    try {
      await server.engine.load(json, { ...options, sourceFile: this.path });
    } catch (error) {
      throw error instanceof OtherConfig ? error : errorWithin(`--config ${this.path}`, error);
    }
  }
}

/**
 * Loads the saved configuration. A damaged configuration is renamed, and the newest valid config of the history is
 * loaded instead.
 * @param isOnly true when no file could be loaded instead
 * @returns false when no configuration was loaded
 * @throws ServerError for an undamaged configuration that cannot run
 */
async function resumeSaved(
  server: Server,
  saved: CheckedText,
  isOnly: boolean,
  log: Logger,
): Promise<boolean> {
  const { autosave, engine, history } = server;
  // Without these checks, invalid UTF-8 would be loaded as other letters, and a changed digit as another port.
  let damage = saved.checksum !== "wrong" && isJson(saved.text) ? undefined : await damageOf(saved, history);
  if (damage === undefined) {
    try {
      await engine.load(saved.text, { author: "--resume" });
      return true;
    } catch (error) {
      damage = await damageOf(saved, history);
      if (damage === undefined) {
        throw error;
      }
    }
  }
  const { place, whole } = damage;
  const kept = await autosave.setAside();
  const where = place === undefined ? ", as its checksum shows" : ` at byte ${place}`;
  const text = `${autosave.path} is damaged${where}: it is set aside as ${kept}`;
  if (whole !== undefined) {
    log.error(`${text}, and the newest configuration of the history is loaded`);
    await engine.load(Buffer.from(whole), { author: "--resume, from the history" });
    return true;
  }
  log.error(`${text}, and the history has no configuration in its place`);
  if (isOnly && isJson(saved.text)) {
    log.error(`${kept} is loaded although it is damaged, because there is nothing else: look through it`);
    await engine.load(saved.text, { author: "--resume, damaged" });
    return true;
  }
  return false;
}

/** Starts with the saved configuration if requested, or else with the file, or else without a configuration. */
async function loadFirst(server: Server, file: ConfigFile, resume: boolean, log: Logger): Promise<void> {
  if (resume) {
    const saved = await server.autosave.read();
    if (saved !== undefined) {
      log.info(`resuming with ${server.autosave.path}${file.path === "" ? "" : `, not ${file.path}`}`);
      if (await resumeSaved(server, saved, file.path === "", log)) {
        return;
      }
    }
  }
  if (file.path === "") {
    await server.engine.load(Buffer.from("null"), { author: "started without a configuration" });
    return;
  }
  await file.load(server);
}

/** Writes the process id; a failure is only logged, because the server does not need the file. */
async function writePidFile(path: string, log: Logger): Promise<void> {
  try {
    await writeFile(path, `${process.pid}\n`);
    process.on("exit", () => rmSync(path, { force: true }));
  } catch (error) {
    log.error(`--pidfile: cannot write ${path}: ${messageOf(error)}`);
  }
}

/** `server run`: runs until it is stopped. @returns the exit code. @throws StartError */
export function runFromConfig(options: RunFromConfig): Promise<number> {
  if (options.config === "" && options.adapter !== "") {
    throw new StartError("run: --adapter needs the file it is for: name it with --config");
  }
  const file = new ConfigFile(options.config || (findDefaultConfig() ?? ""), options.adapter);
  return runServer({
    ...options,
    async load(server, log) {
      if (options.pidfile !== "") {
        // The file is written before the config is loaded, because loading may take long. Source: Caddy
        await writePidFile(options.pidfile, log);
      }
      if (options.config === "" && file.path !== "") {
        log.info(`using ${file.path} of the working folder`);
      }
      await loadFirst(server, file, options.resume, log);
    },
    async running(server, log) {
      if (options.pingback !== "") {
        await sendPingback(options.pingback, log);
      }
      return options.watch ? file.watch(server, log) : undefined;
    },
    reload: (server, log) => file.reload(server, log),
  });
}
