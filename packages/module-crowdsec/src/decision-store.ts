import { networkOf } from "./address-words.ts";
import { ChangedNetworks } from "./changed-networks.ts";
import { readDecision, secondsOf, type WireDecision } from "./decision.ts";
import {
  type DecisionKind,
  emptyTable,
  familyWords,
  type NetworkGroup,
  type TableData,
} from "./decision-table.ts";

/** Maximum number of pairs of type and origin. Decisions with further pairs get the origin `other`. */
const maxKinds = 4_096;

/**
 * Scopes whose values are addresses. Other scopes, such as `Country` and `AS`, need data that this bouncer does not
 * have.
 */
const scopes = new Set(["ip", "range"]);

export interface PullCounts {
  /** Decisions that were taken. */
  added: number;
  /** Decisions that were removed. */
  deleted: number;
  /** Decisions that are no addresses, or damaged. */
  ignored: number;
  /** Decisions over the limit. */
  refused: number;
}

/** Decisions in memory: the current snapshot, and the data for making the next one. */
export class DecisionStore {
  readonly #maxDecisions: number;
  #table: TableData = emptyTable;
  /** Kinds of the next snapshot. A kind keeps its index, because entries refer to it. */
  readonly #kinds: DecisionKind[] = [];
  /** Index of each kind, by type and origin. */
  readonly #kindIndexes = new Map<string, number>();
  /** Number of each type, which distinguishes the decisions about one network. */
  readonly #types = new Map<string, number>();

  constructor(maxDecisions: number) {
    this.#maxDecisions = maxDecisions;
  }

  /** The present snapshot. */
  get table(): TableData {
    return this.#table;
  }

  /** Number of decisions in the snapshot. A decision that has ended counts until its group changes. */
  get size(): number {
    return this.#table.families.flat().reduce((sum, { ends }) => sum + ends.length, 0);
  }

  /** Begins a change. @param isWhole true: the change contains all decisions, and replaces the earlier ones */
  change(isWhole: boolean): StoreChange {
    return new StoreChange(this, isWhole, this.#maxDecisions - (isWhole ? 0 : this.size));
  }

  /** Makes the changed groups the next snapshot. */
  replace(changed: ReadonlyMap<string, ChangedNetworks>, isWhole: boolean, nowS: number): void {
    const typeOf = (kind: number) => this.#types.get(this.#kinds[kind]?.type ?? "") ?? 0;
    const families = ([0, 1] as const).map((family) => {
      const groups = new Map(
        (isWhole ? [] : this.#table.families[family]).map((group) => [`${family} ${group.bits}`, group]),
      );
      for (const [key, networks] of changed) {
        if (key.startsWith(`${family} `)) {
          const next = networks.merge(groups.get(key), { nowS, typeOf });
          next === undefined ? groups.delete(key) : groups.set(key, next);
        }
      }
      return [...groups.values()].sort((a, b) => b.bits - a.bits);
    });
    this.#table = {
      version: this.#table.version + 1,
      kinds: [...this.#kinds],
      families: families as [NetworkGroup[], NetworkGroup[]],
    };
  }

  /** Index of a kind; new ones are added up to a limit. */
  kindOf(type: string, origin: string): number {
    const key = JSON.stringify([type, origin]);
    const known = this.#kindIndexes.get(key);
    if (known !== undefined) {
      return known;
    }
    if (this.#kinds.length >= maxKinds && origin !== "other") {
      return this.kindOf(this.#types.has(type) ? type : "ban", "other");
    }
    if (!this.#types.has(type)) {
      this.#types.set(type, this.#types.size);
    }
    this.#kinds.push({ type, origin });
    this.#kindIndexes.set(key, this.#kinds.length - 1);
    return this.#kinds.length - 1;
  }
}

/** One pull. Its decisions arrive one by one, and take effect together. */
export class StoreChange {
  readonly #store: DecisionStore;
  readonly #isWhole: boolean;
  /** Maximum number of decisions that this change may add. */
  readonly #room: number;
  /** Changed groups, by family and length of the prefix. */
  readonly #changed = new Map<string, ChangedNetworks>();
  readonly counts: PullCounts = { added: 0, deleted: 0, ignored: 0, refused: 0 };

  constructor(store: DecisionStore, isWhole: boolean, room: number) {
    this.#store = store;
    this.#isWhole = isWhole;
    this.#room = room;
  }

  /** Takes an item of one of the lists `new` and `deleted`. Damaged items and unknown scopes are only counted. */
  take(list: string, item: unknown, nowS: number): void {
    const decision = readDecision(item);
    const isAddress = decision !== undefined && scopes.has(decision.scope.toLowerCase());
    const network = isAddress ? networkOf(decision.value) : undefined;
    if (decision === undefined || network === undefined) {
      this.counts.ignored++;
      return;
    }
    const family = network.words.length === 1 ? 0 : 1;
    const key = `${family} ${network.bits}`;
    const networks = this.#changed.get(key) ?? new ChangedNetworks(network.bits, familyWords[family]);
    this.#changed.set(key, networks);
    const kind = this.#store.kindOf(decision.type, decision.origin);
    if (list === "new") {
      this.#add(networks, { decision, network, kind, nowS });
    } else if (list === "deleted" && !this.#isWhole && this.counts.deleted < maxDeleted) {
      networks.delete(network, kind);
      this.counts.deleted++;
    }
  }

  #add(
    networks: ChangedNetworks,
    each: {
      readonly decision: WireDecision;
      readonly network: NonNullable<ReturnType<typeof networkOf>>;
      readonly kind: number;
      readonly nowS: number;
    },
  ): void {
    if (this.counts.added >= this.#room) {
      this.counts.refused++;
      return;
    }
    const end = Math.ceil(each.nowS + secondsOf(each.decision.duration));
    networks.add(each.network, Math.min(end, 0xffffffff), each.kind);
    this.counts.added++;
  }

  /** Applies the change. @returns true when the snapshot is a new one */
  apply(nowS: number): boolean {
    if (this.#changed.size === 0 && !this.#isWhole) {
      return false;
    }
    this.#store.replace(this.#changed, this.#isWhole, nowS);
    return true;
  }
}

/**
 * Maximum number of deleted decisions that are applied in one pull. Further ones end by themselves when their duration
 * is over.
 */
const maxDeleted = 4_000_000;
