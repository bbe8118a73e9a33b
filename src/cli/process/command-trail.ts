/** The last things that were done, for whoever has to find out what came before an error. */
export interface CommandTrail {
  /** @param name of a command in the key table; what was typed is none */
  readonly note: (name: string) => void;
  /** Oldest first; what was done several times in a row is there once, as `moveDown ×12`. */
  readonly names: () => readonly string[];
}

const mostKept = 30;

export function createCommandTrail(): CommandTrail {
  const steps: { readonly name: string; count: number }[] = [];
  return {
    note: (name) => {
      const last = steps.at(-1);
      if (last?.name === name) {
        last.count += 1;
        return;
      }
      steps.push({ name, count: 1 });
      if (steps.length > mostKept) steps.shift();
    },
    names: () => steps.map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`)),
  };
}
