'use strict';
const path = require('node:path');
const { BannerPlugin } = require('webpack');
const { BundledPackages } = require('./scripts/lib/bundled.cjs');

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

/**
 * A bundle for Node. What is imported when it is needed stands in files beside it, named after it.
 * @returns {import('webpack').Configuration}
 */
function node(name, entry, plugins = []) {
  return {
    name,
    mode: 'production',
    devtool: false,
    target: 'node20',
    entry: { [name]: entry },
    output: {
      path: dist,
      filename: '[name].js',
      chunkFilename: `${name}.[name].js`,
      library: { type: 'commonjs2' },
    },
    externals: [{ vscode: 'commonjs vscode' }, core],
    resolve: { extensions: ['.ts', '.js'] },
    module: { rules: [typescript] },
    plugins: [new BundledPackages(name), ...plugins],
    // Names stay, so that a stack trace can be read.
    optimization: { minimize: false, chunkIds: 'named', splitChunks: false },
  };
}

/** npm links a command to the file itself, so its first line says who runs it. */
const command = new BannerPlugin({ banner: '#!/usr/bin/env node', raw: true, entryOnly: true });

/**
 * The chat's page: one script, one style sheet, one font. No evaluated code and no chunks to load:
 * its policy allows neither.
 * @type {import('webpack').Configuration}
 */
const page = {
  name: 'page',
  mode: 'production',
  devtool: false,
  target: ['web', 'es2022'],
  entry: { page: './extension/chat/page/page.ts' },
  output: {
    path: dist,
    filename: '[name].js',
    cssFilename: '[name].css',
    assetModuleFilename: '[name][ext]',
    publicPath: '',
  },
  experiments: { css: true },
  resolve: { extensions: ['.ts', '.js'] },
  module: {
    rules: [
      { ...typescript, options: { ...typescript.options, configFile: 'tsconfig.page.json' } },
      { test: /\.css$/, type: 'css/global' },
      { test: /\.ttf$/, type: 'asset/resource' },
    ],
  },
  // The limit of the whole .vsix is held elsewhere; these are only webpack's guesses.
  performance: { hints: false },
  plugins: [new BundledPackages('page')],
};

module.exports = [
  node('gbs', './extension/cli/main.ts', [command]),
  node('gbs-skills-mcp', './extension/cli/skills-mcp.ts', [command]),
  node('skills-server', './extension/catalogue/create.ts'),
  node('extension', './extension/extension.ts'),
  page,
];
