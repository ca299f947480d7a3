import { setTimeout as sleep } from "node:timers/promises";
import { compareDerived, type DerivedDifference } from "storage/clickhouse";

const looks = 3;
const pauseMs = 2_000;

/**
 * Compares all tables that views fill with the spans. Retention drops a day from one table after another, so only
 * differences seen every time count.
 * @param storeUrl ClickHouse's HTTP address of the storage
 */
export async function derivedDifferences(storeUrl: string): Promise<readonly DerivedDifference[]> {
  for (let look = 1; ; look++) {
    const { differences } = await compareDerived({ urls: [storeUrl] }, { days: "all", repair: false });
    if (differences.length === 0 || look === looks) {
      return differences;
    }
    await sleep(pauseMs);
  }
}
