/**
 * The least that a monitor of this stack does, as a measure for it: an Ink program that requests the same lists with
 * undici, parses them unchecked, and prints a row for each line of the terminal. It has a cursor, and neither checks,
 * graphs nor styles.
 */
import { Box, render, Text, useInput } from 'ink';
import { createElement, useEffect, useState } from 'react';
import { Pool } from 'undici';

const { url } = JSON.parse(process.argv[2] ?? '') as { url: string };
const nodes = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'];
const paths = ['monitoring/nodes', 'monitoring/metrics', 'monitoring/stats'];
const lists = nodes.map((node) => `nodes/${node}/clients?curr_page=1&page_size=5000`);
const headers = { authorization: `Basic ${Buffer.from('admin:secret').toString('base64')}` };
const pool = new Pool(url, { connections: 1 });
const height = process.stdout.rows - 1;

type Row = Readonly<Record<string, unknown>>;

async function read(path: string): Promise<readonly Row[]> {
  const { body } = await pool.request({ method: 'GET', path: `/api/v2/${path}`, headers });
  return (JSON.parse(await body.text()) as { result: { objects?: readonly Row[] } }).result.objects ?? [];
}

function List() {
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [cursor, setCursor] = useState(0);
  useInput((key) => {
    if (key === 'j') setCursor((at) => at + 1);
    if (key === 'k') setCursor((at) => at - 1);
    if (key === 'q') process.exit();
  });
  useEffect(() => {
    const refresh = async (): Promise<void> => {
      const answers = await Promise.all([...paths, ...lists].map(read));
      setRows(answers.flat());
    };
    const timer = setInterval(() => {
      void refresh();
    }, 1_000);
    void refresh();
    return () => {
      clearInterval(timer);
    };
  }, []);
  return createElement(
    Box,
    { flexDirection: 'column' },
    rows.slice(0, height).map((row, at) =>
      createElement(
        Text,
        { key: at, inverse: at === cursor, wrap: 'truncate' },
        `${at === cursor ? '▸' : ' '} ${Object.values(row)
          .map((value) => String(value).padEnd(20))
          .join(' ')}`,
      ),
    ),
  );
}

render(createElement(List));
