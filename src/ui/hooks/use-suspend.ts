import { useApp } from 'ink';
import { useEffect, useMemo } from 'react';

/**
 * Gives the terminal back and stops until the shell continues the program: what the answered function does,
 * and SIGTSTP from outside.
 */
export const useSuspend = (): (() => void) => {
  const { suspendTerminal } = useApp();
  const { onSignal, suspend } = useMemo(() => {
    const stop = (pid: number): void => {
      const stopForReal = (): void => {
        // Heard by nobody, the signal stops the program before `kill` is back.
        process.off('SIGTSTP', onSignal);
        process.kill(pid, 'SIGTSTP');
        process.on('SIGTSTP', onSignal);
      };
      // Asked while it comes back from a stop; it is asked again, if it is meant.
      suspendTerminal(stopForReal).catch(() => undefined);
    };
    const onSignal = (): void => { stop(process.pid); };
    // The whole process group, as a shell does it: npm and the demo's children stop and go on with us.
    return { onSignal, suspend: () => { stop(0); } };
  }, [suspendTerminal]);
  useEffect(() => {
    process.on('SIGTSTP', onSignal);
    return () => { process.off('SIGTSTP', onSignal); };
  }, [onSignal]);
  return suspend;
};
