import { readFile as readBytes } from "node:fs/promises";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { EngineClient, EngineEndpoint, ListedContainer } from "./engine/engine-client.ts";
import { type Block, isGlobal } from "./labels/block.ts";
import { mergeBlocks } from "./labels/merge-blocks.ts";
import { readFile } from "./labels/read-file.ts";
import { labelsWith, readLabels } from "./labels/read-labels.ts";
import { renderLabel } from "./labels/render-label.ts";
import { writeBlocks } from "./labels/write-blocks.ts";

export interface GeneratorSettings {
  /** Engines whose containers are read. */
  readonly engines: readonly EngineClient[];
  /** First word of the labels that are read. */
  readonly prefix: string;
  /**
   * Names of networks through which containers are reached; when empty, the networks of this process's container are
   * used.
   */
  readonly ingressNetworks: readonly string[];
  /** Path of a serverfile to which labels are added; "" when there is no file. */
  readonly file: string;
  /** True: sites that cannot be adapted or would not run are left out, so that a mistake affects only its own site. */
  readonly leavesOutFaults: boolean;
  readonly readsStopped: boolean;
  /** The id of the container that this process runs in; undefined outside of a container. */
  readonly ownContainer: string | undefined;
  /** Converts a serverfile to a config document. @throws Error for an invalid serverfile */
  readonly adapt: (text: string) => Promise<Uint8Array>;
  /**
   * Checks, as far as possible in advance, that a config document would run; undefined: documents run in other
   * processes.
   * @throws Error for a document that would be refused, such as for a missing certificate file
   */
  readonly check?: ((json: Uint8Array) => Promise<void>) | undefined;
  readonly log: Logger;
}

/** Label that names the network through which a container is reached, in addition to `--ingress-networks`. */
const networkLabel = "caddy_ingress_network";

/** Label of a container whose server a controller configures. */
const serverLabel = "caddy_controlled_server";

/** The network through which swarm publishes ports. Containers cannot reach each other in this network. */
const swarmIngress = "ingress";

/** Text without sites, because a serverfile must not be empty. */
const nothing = "# No container has labels.\n";

/**
 * Milliseconds until unchanged labels with a fault are searched again: a missing file may be there by then. A search
 * checks the whole text many times.
 */
const searchAgainMs = 5 * 60_000;

/**
 * Maximum number of characters of a site's text in logs; the rest is cut off. The first lines are enough to identify
 * the site.
 */
const maxShownText = 2_000;

/** The text of some blocks: global options and snippets first. */
function textOf(blocks: readonly Block[]): string {
  return writeBlocks(blocks.filter(isGlobal)) + writeBlocks(blocks.filter((block) => !isGlobal(block)));
}

/** One block as text: the same block of another read has the same text. */
function keyOf(block: Block): string {
  return writeBlocks([block]);
}

/** The beginning of the text of some blocks, for logs. */
function shownText(blocks: readonly Block[]): string {
  return writeBlocks([...blocks]).slice(0, maxShownText);
}

/** The reason why a text is left out. */
interface SiteFault {
  readonly reason: string;
  /** True when the text can be adapted, but would not run. */
  readonly isOfCheck: boolean;
}

/** The last good answers of an engine. */
interface KnownState {
  readonly containers: readonly ListedContainer[];
  /** Names and ids of networks; undefined means all networks. */
  readonly networks: ReadonlySet<string> | undefined;
}

function nameOf({ Names, Id }: ListedContainer): string {
  return Names?.[0]?.replace(/^\//, "") ?? Id;
}

/** Address for a URL: IPv4, else IPv6 in brackets. */
function addressIn({ IPAddress = "", GlobalIPv6Address = "" }: EngineEndpoint): string[] {
  if (IPAddress !== "") {
    return [IPAddress];
  }
  return GlobalIPv6Address === "" ? [] : [`[${GlobalIPv6Address}]`];
}

/**
 * Generates one serverfile from the labels of all containers and from a file. Source: the plug-in caddy-docker-proxy
 */
export class Generator {
  readonly #settings: GeneratorSettings;
  readonly #known = new Map<EngineClient, KnownState>();
  /** Faults that were logged. A lasting fault is logged only once. */
  #faults = new Set<string>();
  #seen = new Set<string>();
  /** The last text without a fault, which needs no second check. */
  #good: string | undefined;
  /** The last text with faults, the blocks without them, and when it is searched again, by `performance.now()`. */
  #faulty:
    | { readonly text: string; readonly rest: readonly Block[]; readonly searchAtMs: number }
    | undefined;
  /** The last generated text, before blocks with faults were left out. */
  #whole = "";
  /** The blocks of the last generated text. */
  #chosen: readonly Block[] = [];
  /** Keys of the blocks that were loaded last. */
  #running: ReadonlySet<string> = new Set();
  /** Sites that were left out because they could not be loaded; each is logged only once. */
  #refused: ReadonlySet<string> = new Set();

  constructor(settings: GeneratorSettings) {
    this.#settings = settings;
  }

  /**
   * @returns undefined until every engine has answered, because a text without the sites of an engine would close these
   * sites
   * @throws Error when the file cannot be read
   */
  async generate(): Promise<string | undefined> {
    const { engines, file } = this.#settings;
    this.#seen = new Set();
    const blocks: Block[] = file === "" ? [] : readFile(await readBytes(file, "utf8"), file);
    let isWhole = true;
    for (const engine of engines) {
      const state = await this.#stateOf(engine);
      if (state === undefined) {
        isWhole = false;
        continue;
      }
      for (const container of state.containers) {
        mergeBlocks(blocks, await this.#blocksOf(container, state));
      }
    }
    const text = isWhole ? await this.#textOf(blocks) : undefined;
    this.#faults = this.#seen;
    return text;
  }

  /** Notes that the last generated text was loaded. */
  noteLoaded(): void {
    this.#running = new Set(this.#chosen.map(keyOf));
  }

  /**
   * Leaves out the sites that prevent the load of the last generated text, such as a site whose port another program
   * has. The sites that run are loaded first, so that none of them closes meanwhile.
   * @param failure the failure of the whole text
   * @param load loads a text
   * @returns the text that was loaded last
   * @throws `failure` when no single site causes it
   */
  async loadRest(failure: unknown, load: (text: string) => Promise<void>): Promise<string> {
    const running = this.#chosen.filter((block) => this.#running.has(keyOf(block)));
    const others = this.#chosen.filter((block) => !this.#running.has(keyOf(block)));
    if (!this.#settings.leavesOutFaults || others.length === 0 || this.#chosen.length < 2) {
      throw failure;
    }
    const kept: Block[] = [];
    const refused = new Set<string>();
    const add = async (some: readonly Block[]) => {
      await load(textOf([...kept, ...some]));
      kept.push(...some);
    };
    const search = async (some: readonly Block[], error: unknown): Promise<void> => {
      if (some.length === 1) {
        refused.add(`a site cannot run, so it is left out: ${messageOf(error)}\n${shownText(some)}`);
        return;
      }
      const half = Math.ceil(some.length / 2);
      for (const part of [some.slice(0, half), some.slice(half)]) {
        await add(part).catch((fault: unknown) => search(part, fault));
      }
    };
    if (running.length > 0) {
      await add(running);
    }
    await search(others, failure);
    if (kept.length === 0) {
      throw failure; // a lack of memory or files, for example, is no fault of the sites
    }
    this.#takeRest(kept, refused);
    return textOf(kept);
  }

  #takeRest(kept: readonly Block[], refused: ReadonlySet<string>): void {
    for (const fault of refused) {
      if (!this.#refused.has(fault)) {
        this.#settings.log.error(fault);
      }
    }
    this.#refused = refused;
    this.#chosen = kept;
    this.noteLoaded();
    this.#faulty = { text: this.#whole, rest: kept, searchAtMs: performance.now() + searchAgainMs };
  }

  /** Addresses of all containers whose servers a controller configures, from the engines' last answers. */
  controlledServers(): string[] {
    const containers = [...this.#known.values()].flatMap((state) => state.containers);
    return containers
      .filter(({ Labels }) => Labels?.[serverLabel] !== undefined)
      .flatMap(({ NetworkSettings }) => Object.values(NetworkSettings?.Networks ?? {}))
      .flatMap((endpoint) => addressIn(endpoint ?? {}));
  }

  /** The engine's current answer; when the engine does not answer, its previous answer. */
  async #stateOf(engine: EngineClient): Promise<KnownState | undefined> {
    try {
      const containers = await engine.listContainers(this.#settings.readsStopped);
      containers.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
      const state = { containers, networks: await this.#networksOf(engine) };
      this.#known.set(engine, state);
      return state;
    } catch (error) {
      const known = this.#known.get(engine);
      const then = known === undefined ? "nothing is changed" : "its sites stay as they are";
      this.#fault(`the engine at ${engine.text} does not answer: ${messageOf(error)}: ${then}`);
      return known;
    }
  }

  async #networksOf(engine: EngineClient): Promise<ReadonlySet<string> | undefined> {
    const { ingressNetworks, ownContainer } = this.#settings;
    if (ingressNetworks.length > 0) {
      return new Set(ingressNetworks);
    }
    const own = ownContainer === undefined ? undefined : await engine.inspectContainer(ownContainer);
    if (own === undefined) {
      // Either the process runs on the host, which reaches every network of its engine, or it runs in a container of
      // another engine.
      return undefined;
    }
    const joined = Object.entries(own.NetworkSettings?.Networks ?? {}).filter(
      ([name]) => name !== swarmIngress,
    );
    return new Set(joined.flatMap(([name, endpoint]) => [name, endpoint?.NetworkID ?? name]));
  }

  /**
   * The blocks of one container; no blocks when a label is wrong, because half a site could expose protected content.
   */
  async #blocksOf(container: ListedContainer, state: KnownState): Promise<Block[]> {
    const labels = labelsWith(this.#settings.prefix, container.Labels ?? {});
    if (labels.size === 0) {
      return [];
    }
    // Templates of Docker's command line call this field `ID`.
    const data = { ...container, ID: container.Id };
    try {
      return await readLabels(labels, (value) =>
        renderLabel(value, data, () => this.#addressesOf(container, state)),
      );
    } catch (error) {
      this.#fault(`the labels of ${nameOf(container)} are left out: ${messageOf(error)}`);
      return [];
    }
  }

  #addressesOf(container: ListedContainer, { networks }: KnownState): string[] {
    const own = container.Labels?.[networkLabel];
    const all = Object.entries(container.NetworkSettings?.Networks ?? {});
    const reached = all.filter(([name, endpoint]) =>
      own === undefined
        ? networks === undefined || networks.has(name) || networks.has(endpoint?.NetworkID ?? "")
        : name === own,
    );
    const addresses = reached.flatMap(([, endpoint]) => addressIn(endpoint ?? {}));
    if (addresses.length === 0) {
      const names = all.map(([name]) => name).join(", ") || "none";
      const wanted = own ?? (networks === undefined ? "any" : [...networks].join(", "));
      this.#fault(
        `${nameOf(container)} has no address in a network that this server reaches: it is in ${names}; reached: ${wanted}`,
      );
    }
    return addresses.sort();
  }

  async #textOf(blocks: Block[]): Promise<string> {
    this.#whole = textOf(blocks);
    this.#chosen = await this.#goodBlocks(blocks, this.#whole);
    return this.#chosen.length === 0 ? nothing : textOf(this.#chosen);
  }

  /** The blocks that can run, as far as this is known. */
  async #goodBlocks(blocks: Block[], whole: string): Promise<readonly Block[]> {
    if (blocks.length === 0) {
      return blocks;
    }
    if (whole === this.#faulty?.text && performance.now() < this.#faulty.searchAtMs) {
      for (const fault of this.#faults) {
        this.#seen.add(fault);
      }
      return this.#faulty.rest;
    }
    if (!this.#settings.leavesOutFaults || (await this.#faultOf(whole)) === undefined) {
      this.#good = whole;
      return blocks;
    }
    const rest = await this.#withoutFaults(blocks);
    this.#faulty = { text: whole, rest, searchAtMs: performance.now() + searchAgainMs };
    return rest;
  }

  /** Finds the blocks with faults by bisection. @returns the other blocks */
  async #withoutFaults(blocks: Block[]): Promise<readonly Block[]> {
    // The blocks are sorted like the output, so that snippets and options precede the blocks that need them.
    writeBlocks(blocks);
    const kept: Block[] = [];
    let notRunning: SiteFault | undefined;
    const keep = async (some: readonly Block[]): Promise<void> => {
      const fault = await this.#faultOf(textOf([...kept, ...some]));
      if (fault === undefined) {
        kept.push(...some);
      } else if (some.length === 1) {
        notRunning ??= fault.isOfCheck ? fault : undefined;
        this.#fault(`a site is left out: ${fault.reason}\n${shownText(some)}`);
      } else {
        const half = Math.ceil(some.length / 2);
        await keep(some.slice(0, half));
        await keep(some.slice(half));
      }
    };
    await keep(blocks);
    if (kept.length > 0) {
      this.#good = textOf(kept);
    } else if (notRunning !== undefined) {
      // Too many open files, for example, fail the check of every site: it must not close the sites that run.
      throw new Error(notRunning.reason);
    }
    return kept;
  }

  /** @returns undefined for a text that can be adapted, and would run */
  async #faultOf(text: string): Promise<SiteFault | undefined> {
    if (text === this.#good) {
      return undefined;
    }
    let json: Uint8Array;
    try {
      json = await this.#settings.adapt(text);
    } catch (error) {
      return { reason: messageOf(error), isOfCheck: false };
    }
    try {
      await this.#settings.check?.(json);
      return undefined;
    } catch (error) {
      return { reason: messageOf(error), isOfCheck: true };
    }
  }

  #fault(text: string): void {
    this.#seen.add(text);
    if (!this.#faults.has(text)) {
      this.#settings.log.error(text);
    }
  }
}
