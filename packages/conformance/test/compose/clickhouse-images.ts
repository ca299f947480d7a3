import { spawnSync } from "node:child_process";
import type { ContainerEngine } from "./container-engine.ts";

/** The images that the profile `cluster` names. */
const images = ["docker.io/clickhouse/clickhouse-server:26.7", "docker.io/clickhouse/clickhouse-keeper:26.7"];

/**
 * Loads ClickHouse's official images. TEST_CLICKHOUSE_IMAGES names an archive with both images, made by `podman save`,
 * for machines without access to a registry.
 * @returns the missing resource, when the images cannot be loaded
 */
export async function clickhouseImages(engine: ContainerEngine): Promise<{ readonly missing?: string }> {
  const archive = process.env.TEST_CLICKHOUSE_IMAGES ?? "";
  try {
    if (archive !== "") {
      await engine.podman("load", "--input", archive);
      return {};
    }
    // Without this check, podman tries an unreachable registry three times, which takes a minute.
    if (spawnSync("getent", ["hosts", "registry-1.docker.io"], { timeout: 5_000 }).status !== 0) {
      return { missing: "no registry of images is reachable, and TEST_CLICKHOUSE_IMAGES names no archive" };
    }
    for (const image of images) {
      await engine.podman("pull", image);
    }
    return {};
  } catch (error) {
    return { missing: `no images of ClickHouse: ${error instanceof Error ? error.message : String(error)}` };
  }
}
