/** One thing that the command palette can do. */
export interface Command {
  /** Differs from that of all others in the list. */
  id: string;
  /** The action, as a verb and its object. */
  title: string;
  /** Said beside it: where it leads, what it is of. */
  note?: string;
  /** The key that does the same on the page. */
  key?: string;
  run(): void;
}

/** Commands of one kind, under one head. */
export interface CommandGroup {
  title: string;
  commands: readonly Command[];
}
