import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { baseImage, type ContainerEngine } from "./container-engine.ts";

/** The same user, working folder, volume, entry point and arguments as in the official image. */
const recipe = `FROM ${baseImage}
COPY prometheus /bin/prometheus
COPY --chown=65534:65534 data /prometheus
WORKDIR /prometheus
USER 65534
VOLUME /prometheus
ENTRYPOINT ["/bin/prometheus"]
CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
`;

/**
 * Makes the image for Prometheus from the program on this machine, when no registry is reachable. PROMETHEUS names the
 * program when it is not on the path.
 * @param version tag of the image
 * @returns the missing resource, when the image cannot be made
 */
export async function prometheusImage(
  engine: ContainerEngine,
  version: string,
): Promise<{ readonly missing?: string }> {
  const named = process.env.PROMETHEUS || "prometheus";
  const program = spawnSync("which", [named], { encoding: "utf8" }).stdout?.trim();
  if (!program) {
    return { missing: `${named} is not installed` };
  }
  const folder = mkdtempSync(join(tmpdir(), "prometheus-image-"));
  try {
    copyFileSync(program, join(folder, "prometheus"));
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "Dockerfile"), recipe);
    const tag = `docker.io/prom/prometheus:${version}`;
    await engine.podman("build", "--tag", tag, folder);
    await engine.podman("run", "--rm", tag, "--version");
    return {};
  } catch (error) {
    return { missing: `no image of ${program}: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
