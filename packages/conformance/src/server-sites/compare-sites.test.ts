import { expect, test } from "vitest";
import { findAdminModel } from "../admin-api/comparison/find-admin-model.ts";
import { judge, readKnownDifferences } from "../tracing-api/comparison/known-differences.ts";
import { compareSites } from "./compare-sites.ts";

const program = findAdminModel();
const known = new URL("../../known-site-differences.json", import.meta.url);

test.skipIf(program === undefined)(
  "sites are served as the public model serves them (caddy, if it is here), but for what is known",
  async () => {
    const { differences } = await compareSites(program ?? "");
    const { unknown, stale } = judge(differences, readKnownDifferences(known));
    expect({ unknown, stale }).toEqual({ unknown: [], stale: [] });
  },
  120_000,
);
