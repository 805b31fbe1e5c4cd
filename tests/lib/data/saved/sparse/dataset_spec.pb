’6¢
úÿÿÿÿÿÿÿÿÿ
€SparseTensorSpec 