import { Worker } from 'node:worker_threads';
new Worker(new URL('./worker.mjs', import.meta.url)).on('message', (shown) => console.log(shown));
