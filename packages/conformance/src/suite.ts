/**
 * Addresses of the processes under test. When a suite needs an address that is absent, the suite is skipped with this
 * reason.
 */
export interface Addresses {
  /** Base URL for OTLP over HTTP, such as http://127.0.0.1:4318 */
  readonly otlpHttp?: string;
  /** Address of OTLP over gRPC, host:port. */
  readonly otlpGrpc?: string;
  /** Address of CollectorService over gRPC, host:port. */
  readonly collectorGrpc?: string;
  /** Base URL of the query service, such as http://127.0.0.1:16686 */
  readonly query?: string;
  /**
   * Address for Grafana's Tempo data source, such as http://127.0.0.1:16686/tempo, or the address of a Grafana Tempo.
   */
  readonly tempo?: string;
  /** Address of QueryService over gRPC, host:port. */
  readonly queryGrpc?: string;
  /**
   * Admin API of the web server, such as http://127.0.0.1:2019. The suite CHANGES its configuration and restores it at
   * the end.
   */
  readonly admin?: string;
}

export type AddressName = keyof Addresses;

/** One promise of the public APIs, which is checked from outside the process. */
export interface Case {
  readonly name: string;
  /** Throws when the promise is not kept. */
  run(addresses: Required<Addresses>): Promise<void>;
}

export interface Suite {
  readonly name: string;
  readonly needs: readonly AddressName[];
  readonly cases: readonly Case[];
}

export interface CaseResult {
  readonly suite: string;
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  /** The reason why the case failed or was skipped. */
  readonly reason?: string;
}

const caseTimeoutMs = 30_000;

async function runCase(suite: Suite, item: Case, addresses: Required<Addresses>): Promise<CaseResult> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no end within ${caseTimeoutMs} ms`)), caseTimeoutMs);
  try {
    await Promise.race([item.run(addresses), late.promise]);
    return { suite: suite.name, name: item.name, outcome: "passed" };
  } catch (error) {
    return {
      suite: suite.name,
      name: item.name,
      outcome: "failed",
      reason: error instanceof Error ? error.message : String(error),
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs suites one after another. @param onResult called with the result of each case */
export async function runSuites(
  suites: readonly Suite[],
  addresses: Addresses,
  onResult: (result: CaseResult) => void = () => {},
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const suite of suites) {
    const missing = suite.needs.filter((name) => addresses[name] === undefined);
    for (const item of suite.cases) {
      const result: CaseResult =
        missing.length === 0
          ? await runCase(suite, item, addresses as Required<Addresses>)
          : {
              suite: suite.name,
              name: item.name,
              outcome: "skipped",
              reason: `no address given: ${missing.join(", ")}`,
            };
      results.push(result);
      onResult(result);
    }
  }
  return results;
}
