import type {
  AnalysisReader,
  AttributeComparison,
  AttributeComparisonQuery,
  CriticalPathSums,
  DurationRank,
  DurationRankQuery,
  DurationRanks,
  DurationRanksQuery,
  HeatMap,
  HeatMapQuery,
  OperationSummary,
  PopulationComparison,
  PopulationComparisonQuery,
  ReadOptions,
  Tail,
  TailQuery,
  TopOperationsQuery,
  TraceQuery,
} from "storage/api";
import { timeOf, withinTime } from "storage/asked-time";
import { isUnsupported } from "storage/errors";
import type { StoreReads } from "./store-reads.ts";

/**
 * Answers of the store about many spans together. Every read is counted and timed. Every method throws
 * `StorageError`.
 */
export class AnalysisService {
  readonly #reader: AnalysisReader;
  readonly #reads: StoreReads;
  /** Undefined until the first answer of the store. */
  #isSupported: boolean | undefined;

  constructor(reader: AnalysisReader, reads: StoreReads) {
    this.#reader = reader;
    this.#reads = reads;
  }

  /** Spans by start and duration. */
  getHeatMap(query: HeatMapQuery, options: ReadOptions): Promise<HeatMap> {
    return this.#reads.one("get_heat_map", options, () =>
      this.#reader.getHeatMap(query, withinTime(options, query.range)),
    );
  }

  /** Attributes that set a selection apart from a background. */
  compareAttributes(query: AttributeComparisonQuery, options: ReadOptions): Promise<AttributeComparison> {
    return this.#reads.one("compare_attributes", options, () =>
      this.#reader.compareAttributes(query, withinTime(options, timeOf(query.background))),
    );
  }

  /** Two populations side by side: durations, errors, operations and attributes. */
  comparePopulations(query: PopulationComparisonQuery, options: ReadOptions): Promise<PopulationComparison> {
    return this.#reads.one("compare_populations", options, () =>
      this.#reader.comparePopulations(query, withinTime(options, timeOf(query.a), timeOf(query.b))),
    );
  }

  /** Rank of a span's duration among its peers; undefined without peers. */
  getDurationRank(query: DurationRankQuery, options: ReadOptions): Promise<DurationRank | undefined> {
    return this.#reads.one("get_duration_rank", options, () =>
      this.#reader.getDurationRank(query, withinTime(options, query.range)),
    );
  }

  /** Ranks in the order of the query's operations; undefined for operations without peers. */
  getDurationRanks(query: DurationRanksQuery, options: ReadOptions): Promise<(DurationRanks | undefined)[]> {
    return this.#reads.list("get_duration_ranks", options, () =>
      this.#reader.getDurationRanks(query, withinTime(options, query.range)),
    );
  }

  /** Operations with the most calls, errors or time, highest first. */
  getTopOperations(query: TopOperationsQuery, options: ReadOptions): Promise<OperationSummary[]> {
    return this.#reads.list("get_top_operations", options, () =>
      this.#reader.getTopOperations(query, withinTime(options, query.range)),
    );
  }

  /** Sums over the critical paths of traces that a search finds; at most 200 traces. */
  getCriticalPath(query: TraceQuery, options: ReadOptions): Promise<CriticalPathSums> {
    return this.#reads.one("get_critical_path", options, () =>
      this.#reader.getCriticalPath(query, withinTime(options, timeOf(query))),
    );
  }

  /** Spans that arrived after a cursor. */
  tail(query: TailQuery, options: ReadOptions): Promise<Tail> {
    return this.#reads.one("tail", options, () => this.#reader.tail(query, options));
  }

  /** True when the store supports these methods. @throws StorageError when the first read from the store fails */
  async isSupported(options: ReadOptions): Promise<boolean> {
    if (this.#isSupported === undefined) {
      try {
        await this.tail({ limit: 1 }, options);
        this.#isSupported = true;
      } catch (error) {
        if (!isUnsupported(error)) {
          throw error;
        }
        this.#isSupported = false;
      }
    }
    return this.#isSupported;
  }
}
