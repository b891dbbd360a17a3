'use strict';
const path = require('node:path');

const dist = path.join(__dirname, 'dist');

/** The core stays outside the bundles, as the package it is: one wasm for all of them. */
function core({ request }, done) {
  if (request?.endsWith('/pkg/index.cjs')) return done(null, 'commonjs ../pkg/index.cjs');
  return done();
}

const typescript = {
  test: /\.ts$/,
  loader: 'ts-loader',
  options: {
    transpileOnly: true,
    compilerOptions: {
      noEmit: false,
      rewriteRelativeImportExtensions: false,
      allowImportingTsExtensions: false,
    },
  },
};

/** @type {import('webpack').Configuration} */
const node = {
  name: 'node',
  mode: 'production',
  devtool: false,
  target: 'node20',
  entry: { gbs: './extension/cli/main.ts' },
  output: { path: dist, filename: '[name].js', library: { type: 'commonjs2' } },
  externals: [{ vscode: 'commonjs vscode' }, core],
  resolve: { extensions: ['.ts', '.js'] },
  module: { rules: [typescript] },
  // Names stay, so that a stack trace can be read.
  optimization: { minimize: false },
};

module.exports = [node];
