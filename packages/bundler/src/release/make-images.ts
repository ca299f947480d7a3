import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { imageNames } from "./release-files.ts";

export interface ImageOptions {
  readonly root: string;
  readonly output: string;
  readonly version: string;
  /** `amd64`, `arm64`. */
  readonly architectures: readonly string[];
  /** Base image by architecture; undefined: the base image of the Dockerfile. */
  readonly baseImage: (architecture: string) => string | undefined;
  readonly tell: (line: string) => void;
}

/** The container engine of this machine, `podman` or `docker`; undefined without an engine. */
export function containerEngine(): string | undefined {
  return ["podman", "docker"].find((name) => spawnSync(name, ["--version"]).error === undefined);
}

/**
 * Builds each image for each architecture and saves it as an archive that `podman load` and `docker load` read.
 * @returns the files, and a reason for each image that could not be built: another architecture needs an
 *   emulator, every image needs a base image
 */
export function makeImages(engine: string, options: ImageOptions) {
  const { root, output, version, architectures, baseImage, tell } = options;
  mkdirSync(output, { recursive: true });
  const files: string[] = [];
  const failed: string[] = [];
  for (const architecture of architectures) {
    const base = baseImage(architecture);
    for (const name of imageNames) {
      const tag = `${name}:${version}-${architecture}`;
      const build = spawnSync(
        engine,
        [
          ...["build", "--platform", `linux/${architecture}`, "--file", join(root, "docker", "Dockerfile")],
          ...["--target", name, "--tag", tag],
          ...buildArgument("BASE_IMAGE", base),
          ...buildArgument("BUILD_IMAGE", baseImage(ownArchitecture)),
          ...(engine === "podman" ? platformArguments(architecture) : []),
          root,
        ],
        { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
      );
      if (build.status !== 0) {
        failed.push(`image ${tag}: ${lastLine(build.stderr || String(build.error))}`);
        continue;
      }
      const file = join(output, `${name}-${version}-${architecture}.tar`);
      const format = engine === "podman" ? ["--format", "docker-archive"] : [];
      const saved = spawnSync(engine, ["save", ...format, "--output", file, tag], { encoding: "utf8" });
      if (saved.status !== 0) {
        failed.push(`${tag}: ${lastLine(saved.stderr)}`);
        continue;
      }
      tell(file);
      files.push(file);
    }
  }
  return { files, failed };
}

/** Architecture of this machine's processor, in the form of image names. */
const ownArchitecture = process.arch === "x64" ? "amd64" : process.arch;

const buildArgument = (name: string, value: string | undefined) =>
  value === undefined ? [] : ["--build-arg", `${name}=${value}`];

/**
 * Build arguments that docker sets by itself. podman 4 does not set them, and then searches every base image for the
 * platform of the image.
 */
const platformArguments = (architecture: string) => [
  ...buildArgument("BUILDPLATFORM", `linux/${ownArchitecture}`),
  ...buildArgument("TARGETPLATFORM", `linux/${architecture}`),
];

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
