import { KeptFiles, type KeptKind } from "./kept-files.ts";
import { NoteStore } from "./note-store.ts";
import { ViewStore } from "./view-store.ts";

/** The stores of things that people share: views, short links and notes. */
export interface KeptStores {
  readonly views: ViewStore;
  readonly notes: NoteStore;
}

const mostTenants = 1_000;

/**
 * @param folder "" for none: then nothing is kept
 * @param onRefused is called for each that a limit kept out
 */
export function openKeptStores(folder: string, onRefused: (kind: KeptKind) => void = () => {}): KeptStores {
  const files = new KeptFiles(folder, mostTenants, onRefused);
  return { views: new ViewStore(files), notes: new NoteStore(files) };
}
