import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "../../src/expect.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../../", import.meta.url));
/** The image is made by docker/base-image.sh: Debian with Node and npm. */
export const baseImage = "localhost/node:26-bookworm";
const maxOutputBytes = 64 * 1024 * 1024;
const socketWithinMs = 30_000;

/** Installed and generated folders, which are not sources, at any depth. */
const notSources = new Set(["node_modules", "dist", "gen", ".turbo"]);
/** The same names, but only in the top folder, because deeper folders with these names contain sources. */
const notSourcesAbove = new Set(
  ["data", "release", "coverage", ".git", ".toolchain", ".cache"].map((name) => join(root, name)),
);

/**
 * runc and these limits also work in sandboxes that allow containers no higher limits than their own. Networks use a
 * range that other engines are unlikely to use. All engines of a machine share one folder of names, and a killed engine
 * leaves its names there. When all engines used one range, names of running containers led to addresses of removed
 * ones.
 */
const engineConfig = (range: number) => `[containers]
default_ulimits=["nofile=1024:1024","nproc=1000:1000"]
[engine]
runtime="runc"
cgroup_manager="cgroupfs"
events_logger="file"
[network]
network_backend="netavark"
default_subnet_pools=[{ base="10.${range}.0.0/16", size=24 }]
`;

/** A tool or right that this machine lacks for containers; the tests are then skipped. */
export class NoContainersError extends Error {
  override readonly name = "NoContainersError";
}

/**
 * podman with its own storage and networks, as the engine of docker-compose, and a copy of the sources to build from. A
 * cache folder of the user has an archive of the base image, and the packages that builds download. Only the first run
 * on a machine makes and downloads them.
 */
export class ContainerEngine {
  readonly #folder: string;
  readonly #podman: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #project: string;
  #service: ChildProcess | undefined;

  private constructor(folder: string, environment: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#project = basename(folder).toLowerCase();
    this.#podman = [
      ...["--root", join(folder, "storage"), "--runroot", join(folder, "run")],
      ...["--tmpdir", join(folder, "libpod"), "--network-config-dir", join(folder, "networks")],
    ];
    this.#environment = {
      ...process.env,
      ...environment,
      CONTAINERS_CONF: join(folder, "containers.conf"),
      TMPDIR: join(folder, "temporary"),
      DOCKER_HOST: `unix://${join(folder, "podman.sock")}`,
      // With this setting docker-compose 1 uses the engine, not a command "docker".
      DOCKER_BUILDKIT: "0",
      COMPOSE_DOCKER_CLI_BUILD: "0",
      COMPOSE_HTTP_TIMEOUT: "600",
      BASE_IMAGE: baseImage,
    };
  }

  /**
   * Starts the engine, and makes the base image when it is missing.
   * @param environment variables of the compose file
   * @throws NoContainersError with the missing tool or right
   */
  static async open(environment: NodeJS.ProcessEnv): Promise<ContainerEngine> {
    requireTools();
    const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tracing-containers");
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(tmpdir(), "compose-"));
    const engine = new ContainerEngine(folder, environment);
    try {
      writeFileSync(join(folder, "containers.conf"), engineConfig(randomInt(100, 250)));
      engine.#keepBuildCache(cache);
      await engine.#makeBaseImage(cache);
      await engine.#tryContainer();
      cpSync(root, join(folder, "sources"), {
        recursive: true,
        // The top folder itself may have any name.
        filter: (path) => path === root || !(notSources.has(basename(path)) || notSourcesAbove.has(path)),
      });
      await engine.#startService();
    } catch (error) {
      await engine.close();
      throw error;
    }
    return engine;
  }

  /** Runs podman. @returns its output. @throws Error with its error output when it fails */
  async podman(...args: readonly string[]): Promise<string> {
    const { stdout } = await run("podman", [...this.#podman, ...args], {
      env: this.#environment,
      maxBuffer: maxOutputBytes,
    });
    return stdout.trim();
  }

  /** The last lines of a container's log, each with its time. */
  async lastLines(container: string): Promise<string> {
    const args = [...this.#podman, "logs", "--timestamps", "--tail", "20", container];
    const { stdout, stderr } = await run("podman", args, {
      env: this.#environment,
      maxBuffer: maxOutputBytes,
    });
    return `${stdout}${stderr}`;
  }

  /**
   * A compose file with limits for services that set their own limits: containers.conf does not apply to them, and a
   * sandbox allows no higher limit than its own.
   * @returns its path
   */
  async boundsOf(services: readonly string[]): Promise<string> {
    const { stdout } = await run("sh", ["-c", "ulimit -Hn"]);
    const most = Math.min(Number(stdout) || 20_000, 262_144);
    const ulimits = { nofile: { soft: most, hard: most }, nproc: { soft: 10_000, hard: 10_000 } };
    const file = join(this.#folder, "bounds.yml");
    writeFileSync(
      file,
      JSON.stringify({ services: Object.fromEntries(services.map((name) => [name, { ulimits }])) }),
    );
    return file;
  }

  /** Runs docker-compose on the copy of the sources. @throws Error with its error output when it fails */
  async compose(...args: readonly string[]): Promise<string> {
    const { stdout } = await run("docker-compose", ["--project-name", this.#project, ...args], {
      cwd: join(this.#folder, "sources"),
      env: this.#environment,
      maxBuffer: maxOutputBytes,
    });
    return stdout;
  }

  /** The name of the container of a service or a replica; replicas are numbered from one. */
  containerOf(service: string, number = 1): string {
    return `${this.#project}_${service}_${number}`;
  }

  /** The address at which this machine reaches a service, even without a published port. */
  async addressOf(service: string): Promise<string> {
    const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}";
    return await this.podman("inspect", "--format", format, this.containerOf(service));
  }

  /** Path of the engine's socket, for programs that use the engine directly. */
  get socket(): string {
    return String(this.#environment.DOCKER_HOST);
  }

  /** Ends all containers, and deletes their data and images. */
  async close(): Promise<void> {
    if (this.#service !== undefined) {
      const all = ["demo", "monitoring", "cluster"].flatMap((profile) => ["--profile", profile]);
      await this.compose(...all, "down", "--volumes", "--timeout", "1").catch(() => {});
      const ended = once(this.#service, "exit");
      this.#service.kill("SIGTERM");
      await ended;
    }
    // podman leaves its layers mounted.
    spawnSync("umount", [join(this.#folder, "storage", "overlay")]);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Builds look for their caches in the folder of temporary files, under a name that depends on the version. */
  #keepBuildCache(cache: string): void {
    const kept = join(cache, "build-cache");
    const temporary = join(this.#folder, "temporary");
    for (const folder of [kept, temporary]) {
      mkdirSync(folder, { recursive: true });
    }
    for (const name of ["buildah-cache", "buildah-cache-0"]) {
      symlinkSync(kept, join(temporary, name));
    }
  }

  async #makeBaseImage(cache: string): Promise<void> {
    const podman = join(this.#folder, "podman");
    writeFileSync(podman, `#!/bin/sh\nexec podman ${this.#podman.join(" ")} "$@"\n`, { mode: 0o755 });
    try {
      await run(join(root, "docker/base-image.sh"), [baseImage], {
        env: { ...this.#environment, CONTAINER_ENGINE: podman, BASE_IMAGE_CACHE: cache },
      });
    } catch (error) {
      throw new NoContainersError(`the base image cannot be made: ${messageOf(error)}`);
    }
  }

  /** Sandboxes forbid containers in many ways, so this runs a container that connects to the npm registry. */
  async #tryContainer(): Promise<void> {
    try {
      await this.podman("run", "--rm", baseImage, "npm", "ping");
    } catch (error) {
      throw new NoContainersError(`podman cannot run a container with a network: ${messageOf(error)}`);
    }
  }

  async #startService(): Promise<void> {
    const socket = join(this.#folder, "podman.sock");
    const args = [...this.#podman, "system", "service", "--time", "0", `unix://${socket}`];
    this.#service = spawn("podman", args, { env: this.#environment, stdio: "ignore" });
    await eventually(async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const connection = connect(socket, resolve).on("error", reject);
      await promise.finally(() => connection.destroy());
    }, socketWithinMs);
  }
}

function requireTools(): void {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new NoContainersError("containers need Linux, and root for debootstrap");
  }
  for (const tool of ["podman", "runc", "debootstrap", "docker-compose", "npm"]) {
    const { error } = spawnSync(tool, ["--version"]);
    if (error !== undefined) {
      throw new NoContainersError(`${tool} is not installed`);
    }
  }
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").slice(-3).join(" ");
}
