import { chat, corsApi, grpc, llmStream, singlePageApp } from "./app-sites.ts";
import type { Archetype } from "./archetype.ts";
import { cdnOrigin, downloads, homelab, maintenance, multiTenant, wildcard } from "./host-sites.ts";
import { nextcloud, wordpress } from "./php-sites.ts";

/** Typical sites of users. */
export const archetypes: readonly Archetype[] = [
  wordpress,
  nextcloud,
  singlePageApp,
  llmStream,
  homelab,
  wildcard,
  grpc,
  chat,
  downloads,
  cdnOrigin,
  corsApi,
  maintenance,
  multiTenant,
];
